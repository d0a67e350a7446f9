"""Scores in the files that other evaluation tools write: lmms-eval, EvalScope, Inspect, and in
records of Every Eval Ever (`eval_records.py`).

None of them knows our images: a result says what may lead to one, and `judges/intake/match_results.py`
finds it. What a tool could not score is an error here, also where the tool wrote a 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from jurybox_formats.sources import tidy_tables
from jurybox_formats.sources.checks import Unfit
from jurybox_formats.sources.json_values import take
from jurybox_formats.sources.records import Rejected, Unreadable
from jurybox_formats.sources.rows import Line, records
from jurybox_formats.sources.text_files import document, json_rows, numbered, objects, opening
from jurybox_formats.tools import eval_records, inspect_log


class Result(NamedTuple):
    """A judge's score and what leads to the image: its id, its number in a dataset, its file, its
    prompt. `generator`: whose image it is, where the line says so."""

    judge: str
    score: float | None
    correct: bool | None = None
    reason: str = ""
    error: str = ""
    image: str = ""
    number: int | None = None
    file: str = ""
    prompt: str = ""
    generator: str = ""
    epoch: int | None = None
    evidence: dict[str, Any] | None = None
    line: int = 0
    source: str = ""


Item = dict[str, Any]
EVAL_RECORDS = "every_eval_ever"
# What lmms-eval writes of each sample beside its metrics.
LMMS_OWN = {
    *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "token_counts"),
    *("doc_hash", "prompt_hash", "target_hash", "input", "input_media", "filter", "metrics"),
}
# EvalScope: only these carry a score.
USABLE = {"success", "fallback"}
# Inspect's letters. "N" is no answer: it says something of the judge, nothing of the image.
LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5}
IMAGE_IDS = ("image_id", "image_key")
FILES = ("image_path", "file_name", "image_file", "image")


def read(format: str, path: Path, judge: str = "") -> Iterator[Result | Rejected]:
    """Each result with the line that it came from; what is none, as a refusal."""
    if path.is_dir():
        path = _file_in(path)
    if not path.is_file():
        raise Unreadable(f"There is no file {path}.")
    path = eval_records.lines_file(path) if format == EVAL_RECORDS else path
    is_log = format == "inspect" and inspect_log.is_log(path)
    whole = None if is_log else _open_log(path, format)
    of = _inspect_sample if is_log or (whole and format == "inspect") else READERS[format][1]
    rows: Iterable[Line[Any] | Rejected]
    if whole:
        rows = _samples_of(whole, path)
    else:
        rows = inspect_log.samples(path) if is_log else json_rows(path)

    def read_row(row: Line[Any]) -> list[Any]:
        # All of a row, or none of it.
        return list(of(row.value, judge))

    results: Iterator[Any] = records(objects(rows, path.name), read_row, path.name)
    yield from _name_failures(_join_epochs(results, path), path)


def guess(path: Path) -> str:
    """Whose results these are, by what stands in the file; empty where they are nobody's that we know."""
    try:
        path = _file_in(path) if path.is_dir() else path
        if inspect_log.is_log(path):
            return "inspect" if inspect_log.has_samples(path) else ""
        if eval_records.is_record(path):
            return EVAL_RECORDS
        if whole := _open_log(path):
            return whole.tool
        first = next(iter(json_rows(path)), None)
    except (Unreadable, OSError):
        return ""
    names = first.value.keys() if isinstance(first, Line) and isinstance(first.value, dict) else ()
    return next((tool for tool, fits in SIGNS.items() if names and fits(names)), "")


def _file_in(folder: Path) -> Path:
    """The one file, or the record of two files whose other one holds its lines."""
    files = sorted(one for one in folder.rglob("*") if one.is_file())
    records = [one for one in files if one.suffix.lower() == ".json"]
    if len(files) == 2 and len(records) == 1:
        files = records
    if len(files) != 1:
        raise Unreadable(
            f"{folder.name} holds {len(files)} files; send one file of results at a time."
        )
    return files[0]


def _join_epochs(found: Iterable[Result | Rejected], path: Path) -> Iterator[Result | Rejected]:
    """Epochs are a judge's repeats: their mean is its score, and each of them is kept beside it."""
    times: dict[tuple[str, str, int | None], dict[int, Result]] = {}
    for one in found:
        if isinstance(one, Rejected) or one.epoch is None:
            yield one
            continue
        epochs = times.setdefault((one.judge, one.image or one.file, one.number), {})
        if one.epoch in epochs:
            words = f"“{one.judge}” has epoch {one.epoch} of this sample twice."
            yield Rejected("epoch", one.epoch, words, one.line, path.name)
        else:
            epochs[one.epoch] = one
    for epochs in times.values():
        yield _joined([one for _, one in sorted(epochs.items())])


def _joined(repeats: list[Result]) -> Result:
    scored = [one for one in repeats if one.score is not None]
    first = (scored or repeats)[0]
    if len(repeats) == 1:
        return first
    verdicts = {one.correct for one in scored}
    return first._replace(
        score=fmean([one.score for one in scored if one.score is not None]) if scored else None,
        correct=verdicts.pop() if len(verdicts) == 1 else None,
        evidence={"epochs": [one.error or one.score for one in repeats]},
    )


def _name_failures(found: Iterable[Result | Rejected], path: Path) -> Iterator[Result | Rejected]:
    """A failure that names no metric is one of each judge that the file names."""
    judges: dict[str, None] = {}
    nameless: list[Result] = []
    for one in found:
        if isinstance(one, Result) and not one.judge:
            nameless.append(one)
            continue
        if isinstance(one, Result):
            judges[one.judge] = None
        yield one
    for one in nameless:
        yield from (one._replace(judge=name) for name in judges)
        if not judges:
            words = "It failed, and no line of the file names a metric; --judge says whose it is."
            yield Rejected("judge", one.error, words, one.line, path.name)


def _lmms_eval(item: Item, judge: str) -> Iterator[Result]:
    number = take(item, "doc_id", (int, str), "a number or a text")
    metrics = {
        name: value
        for name, value in item.items()
        if name not in LMMS_OWN and (_is_number(value) or _is_number(_inner_value(value)))
    }
    if not metrics:
        raise Unfit("line", ", ".join(item)[:80], "No field of this sample is a score.")
    prompt = item.get("input")
    for name, value in metrics.items():
        about = value if isinstance(value, dict) else {}
        score = tidy_tables.number(name, float(_inner_value(value) if about else value))
        yield Result(
            _judge(judge, name, alone=len(metrics) == 1),
            score,
            correct=(_inner_value(value) if about else value) if _is_bool(value, about) else None,
            image=_first(about, IMAGE_IDS) or _first(item, IMAGE_IDS),
            number=number if isinstance(number, int) else _as_number(number),
            file=_first(about, FILES) or _first(item, FILES),
            prompt=prompt if isinstance(prompt, str) else "",
        )


def _evalscope(item: Item, judge: str) -> Iterator[Result]:
    number = take(item, "index", int, "a whole number")
    if "sample_score" not in item and "choices" in item:
        item = _from_old_review(item)
    sample = take(item, "sample_score", dict, "an object")
    score = take(sample, "score", dict, "an object")
    about = _object(sample.get("sample_metadata"))
    value = take(score, "value", dict, "an object of scores by metric")
    status = str(score.get("status", "success")).rpartition(".")[2].lower()
    remarks = _object(score.get("metadata"))
    clues: Item = {
        "image": _first(about, IMAGE_IDS),
        "number": number,
        "file": _first(about, FILES) or _word(score.get("prediction")),
        "prompt": _word(about.get("prompt")),
    }
    if status not in USABLE:
        # A failure often names no metric: then it is one of all that the file names.
        names = list(value) or [_word(score.get("main_score_name"))]
        for name in names:
            words = f"EvalScope: {status.replace('_', ' ')}"
            called = _judge(judge, name, alone=len(names) == 1)
            yield Result(called, None, error=words, **clues)
        return
    if not value:
        raise Unfit("sample_score.score.value", "", "There is no score in it.")
    for name, given in value.items():
        called = _judge(judge, name, alone=len(value) == 1)
        # A metric that broke stands as 0 beside these words.
        broken = _word(remarks.get(name))
        if broken.startswith("error:"):
            yield Result(called, None, error=f"EvalScope: {broken}"[:2000], **clues)
            continue
        if not _is_number(given):
            raise Unfit(f"value.{name}", given, "A score is a number.")
        yield Result(
            called,
            tidy_tables.number(f"value.{name}", float(given)),
            correct=given if isinstance(given, bool) else None,
            reason=_word(score.get("explanation")),
            **clues,
        )


def _from_old_review(item: Item) -> Item:
    """A review as EvalScope wrote it before version 1, under the names of today."""
    choices = take(item, "choices", list, "a list")
    if len(choices) != 1:
        raise Unfit("choices", len(choices), "A picture has one review; here “choices” has others.")
    review = take(choices[0], "review", dict, "an object")
    value = take(review, "result", dict, "an object of scores by metric")
    return {
        "sample_score": {
            "score": {"value": value, "prediction": review.get("pred")},
            "sample_metadata": item.get("raw_input"),
        }
    }


def _inspect(item: Item, judge: str) -> Iterator[Result]:
    key = take(item, "id", (str, int), "a text or a number")
    if "value" not in item:
        raise Unfit("value", None, "“value” is missing; a score is wanted.")
    epoch = item.get("epoch")
    if epoch is not None and (isinstance(epoch, bool) or not isinstance(epoch, int) or epoch < 1):
        raise Unfit("epoch", epoch, "“epoch” must be a whole number from 1.")
    about = item.get("metadata") or {}
    if not isinstance(about, dict):
        raise Unfit("metadata", about, "“metadata” must be an object.")
    value = item["value"]
    values = value if isinstance(value, dict) else {"": value}
    if not values or isinstance(value, list):
        raise Unfit(
            "value", value, "A score is a number, a letter (C, I, P, N) or an object of them."
        )
    verdict = about.get("correct")
    for name, given in values.items():
        called = judge or _word(about.get("judge")) or "inspect"
        called = (f"{judge}-{name}" if judge else name) if name else called
        score, correct, error = _value(given)
        yield Result(
            called,
            score,
            verdict if isinstance(verdict, bool) and not name and score is not None else correct,
            _word(item.get("explanation")),
            error,
            image=key if isinstance(key, str) else "",
            number=key if isinstance(key, int) else _as_number(key),
            epoch=epoch,
        )


def _inspect_sample(item: Item, judge: str) -> Iterator[Result]:
    """A sample of a log: the score of each scorer, and of each part of a score that has parts."""
    key = take(item, "id", (str, int), "a text or a number")
    epoch = take(item, "epoch", int, "a whole number")
    about = item.get("metadata") or {}
    about = about if isinstance(about, dict) else {}
    named = _first(about, IMAGE_IDS)
    file = _first(about, FILES)
    clues: Item = {
        # An id that only counts leads to no image; what lies with the sample may.
        "image": named or ("" if file or isinstance(key, int) or key.isdecimal() else key),
        "number": key if isinstance(key, int) else _as_number(key),
        "file": file,
        "prompt": _word(item.get("input")),
        "epoch": epoch,
    }
    scores = item.get("scores") or {}
    if not isinstance(scores, dict):
        raise Unfit("scores", str(scores)[:80], "“scores” must be an object by scorer.")
    failure = item.get("error") or {}
    if not scores:
        words = _word(failure.get("message")) if isinstance(failure, dict) else ""
        error = f"Inspect: {words or 'no score'}"[:2000]
        yield Result(judge if judge else "", None, error=error, **clues)
    for scorer, given in scores.items():
        value = given.get("value") if isinstance(given, dict) else given
        if isinstance(value, list):
            raise Unfit(scorer, str(value)[:80], "A score is a number, a letter or an object.")
        parts = value if isinstance(value, dict) else {"": value}
        called = _judge(judge, scorer, alone=len(scores) == 1)
        for part, number in parts.items():
            score, correct, error = _value(number)
            reason = _word(given.get("explanation")) if isinstance(given, dict) else ""
            name = f"{called}-{part}" if part else called
            yield Result(name, score, correct, reason, error, **clues)


def _value(given: Any) -> tuple[float | None, bool | None, str]:
    """Score, verdict, and why there is none."""
    if given is None:
        return None, None, "Inspect: no value"
    if isinstance(given, bool):
        return float(given), given, ""
    if isinstance(given, str) and given in LETTERS:
        return LETTERS[given], {"C": True, "I": False}.get(given), ""
    if given == "N":
        return None, None, "Inspect: no answer"
    return tidy_tables.number("value", given), None, ""


def _eval_record(item: Item, judge: str) -> Iterator[Result]:
    found = eval_records.sample(item)
    called = f"{judge}-{found.judge}" if judge else found.judge
    yield Result(
        called,
        found.score,
        found.correct,
        error=found.error,
        image=found.image,
        file=found.sample,
        prompt=found.prompt,
        generator=found.generator,
    )


Reader = Callable[[Item, str], Iterator[Result]]
READERS: dict[str, tuple[str, Reader]] = {
    "lmms_eval": ("lmms-eval: DATE_samples_TASK.jsonl", _lmms_eval),
    "evalscope": ("EvalScope: reviews/MODEL/TASK.jsonl", _evalscope),
    "inspect": ("Inspect: a log (.eval), or the file of precomputed_scores", _inspect),
    EVAL_RECORDS: ("Every Eval Ever 0.3: a record, or its lines", _eval_record),
}


# The fields by which a line of each tool is known.
SIGNS: dict[str, Callable[[Iterable[str]], bool]] = {
    "lmms_eval": {"doc_id", "filtered_resps"}.issubset,
    "evalscope": lambda names: (
        {"index", "sample_score"} <= set(names) or {"index", "choices", "review_id"} <= set(names)
    ),
    EVAL_RECORDS: {"schema_version", "sample_id", "evaluation"}.issubset,
    "inspect": lambda names: (
        {"id", "value"} <= set(names)
        and set(names) <= {"id", "value", "answer", "explanation", "metadata", "epoch"}
    ),
}


def _judge(judge: str, name: str, *, alone: bool) -> str:
    return (judge if alone else f"{judge}-{name}") if judge else name


def _inner_value(value: Any) -> Any:
    return value.get("score") if isinstance(value, dict) else None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


def _is_bool(value: Any, about: Item) -> bool:
    return isinstance(_inner_value(value) if about else value, bool)


def _as_number(value: str) -> int | None:
    return int(value) if value.isdecimal() and len(value) < 10 else None


def _first(item: Item, names: Iterable[str]) -> str:
    return next(
        (item[name] for name in names if isinstance(item.get(name), str) and item[name]), ""
    )


def _object(value: Any) -> Item:
    return value if isinstance(value, dict) else {}


def _word(value: Any) -> str:
    return value if isinstance(value, str) else ""


# Logs that are one JSON object, Inspect's (`.json`) and lmms-eval's before 0.2: the list of samples, and what
# stands beside it.
TOOLS = {"inspect": ("samples", "eval"), "lmms_eval": ("logs", "model_configs")}
# What a scorer is called where an old log does not say.
UNNAMED = "inspect"


class _WholeLog(NamedTuple):
    tool: str
    content: Item


def _open_log(path: Path, tool: str = "") -> _WholeLog | None:
    """None where it is something else, or a log of another tool than this."""
    if path.suffix.lower() != ".json" or not opening(path).lstrip().startswith(b"{"):
        return None
    try:
        # Both write NaN for what was not scored; that is no value.
        content = document(path, constant=lambda _: None)
    except Unreadable:
        return None
    if not isinstance(content, dict):
        return None
    found = next((t for t, (_, beside) in TOOLS.items() if beside in content), "")
    return _WholeLog(found, content) if found and tool in ("", found) else None


def _samples_of(log: _WholeLog, path: Path) -> Iterator[Line[Any]]:
    name = TOOLS[log.tool][0]
    listed = log.content.get(name)
    if not isinstance(listed, list) or not listed:
        raise Unreadable(f"{path.name} is a log without a sample: it has no list “{name}”.")
    if log.tool == "inspect":
        listed = [_with_scores(one, _scorer(log.content)) for one in listed]
    return numbered(listed)


def _with_scores(sample: Any, scorer: str) -> Any:
    """Old logs have one score, which does not say whose it is."""
    if not isinstance(sample, dict) or "score" not in sample or sample.get("scores"):
        return sample
    score = sample["score"]
    return sample | {"scores": {} if score is None else {scorer: score}}


def _scorer(content: Item) -> str:
    results = content.get("results")
    scorer = results.get("scorer") if isinstance(results, dict) else None
    name = scorer.get("name") if isinstance(scorer, dict) else None
    return name if isinstance(name, str) and name.strip() else UNNAMED

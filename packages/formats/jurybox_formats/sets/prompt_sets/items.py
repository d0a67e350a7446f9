"""What a row of each set says: its prompt, its questions, in which folder its pictures lie.

None has a family: in these sets (DPG, OneIG …) each prompt was written freely, by a person or a model, and
what their files group prompts by are categories.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from jurybox_formats.sets.dsg import KINDS
from jurybox_formats.sets.prompt_sets.files import TEXT, SetRow
from jurybox_formats.sources.checks import Unfit
from jurybox_formats.sources.json_values import take_text
from jurybox_formats.sources.records import AtomRecord


@dataclass(frozen=True, slots=True)
class Item:
    """One prompt as one row tells it. Rows of one key belong together: later ones add to the first.

    `name`: of its picture, without sample and ending; `folders`: between them and the generator's.
    An empty text waits for the row that has it.
    """

    key: str
    text: str
    name: str
    folders: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    atoms: tuple[AtomRecord, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PromptSet:
    """`form`: of a new study, so that people get the questions that the judges get. `fits`: whether a row is of
    this set; `read`: its items; `grid`: how many pictures a file holds across and down, where nobody says
    otherwise."""

    title: str
    form: str
    fits: Callable[[SetRow], bool]
    read: Callable[[SetRow], Iterator[Item]]
    grid: int = 1


# A list of objects, or a line for each.
OBJECTS = ("list", "lines")


def _has(*names: str) -> Callable[[SetRow], bool]:
    return lambda row: all(name in row.values for name in names)


def _yes_no(questions: Sequence[str]) -> tuple[AtomRecord, ...]:
    return tuple(
        AtomRecord(place, "other", "", question, "Yes") for place, question in enumerate(questions)
    )


def _texts(values: Mapping[str, Any], field: str) -> list[str]:
    given = values.get(field)
    if not isinstance(given, list) or not all(isinstance(text, str) for text in given):
        raise Unfit(field, given, f"“{field}” must be a list of texts.")
    return given


# --- T2I-CoReBench: id → Prompt, Checklist


def _corebench(row: SetRow) -> Iterator[Item]:
    points = row.values["Checklist"]
    if not isinstance(points, list):
        raise Unfit("Checklist", points, "“Checklist” must be a list of questions.")
    questions = [take_text(point, "question") for point in points]
    kinds = [point.get("tags") or [] for point in points]
    tags = [row.values.get(name) for name in ("Main Class", "Sub Class")]
    yield Item(
        row.id,
        take_text(row.values, "Prompt"),
        row.id,
        tags=tuple(tag for tag in tags if isinstance(tag, str) and tag),
        atoms=_yes_no(questions),
        metadata={"point_tags": kinds},
    )


def corebench_task(key: str) -> str:
    """ "C-MI" of "C-MI-001": each of the twelve has a file of its own."""
    return "-".join(key.split("-")[:2])


# --- UniGenBench: index, prompt_en or prompt_zh, test points as JSON

_DIMENSIONS = {
    "en": ("Testpoints", "Testpoint Description", "Primary Categories"),
    "zh": ("考点", "考点对应描述", "一级垂类"),
}
_ASKED = {
    "en": "Does the image show “{what}” as the prompt wants it ({point})?",
    "zh": "图像是否符合提示中的“{what}”（{point}）？",
}


def _unigenbench(row: SetRow) -> Iterator[Item]:
    language = "zh" if "prompt_zh" in row.values else "en"
    text = take_text(row.values, f"prompt_{language}")
    raw = take_text(row.values, f"sub_dims_{language}")
    try:
        dimensions = json.loads(raw)
    except (ValueError, RecursionError):
        raise Unfit(f"sub_dims_{language}", raw[:80], "This is no JSON object.") from None
    if not isinstance(dimensions, dict):
        raise Unfit(f"sub_dims_{language}", raw[:80], "This is no JSON object.")
    names, described, primary = _DIMENSIONS[language]
    points, what = _texts(dimensions, names), _texts(dimensions, described)
    if len(points) != len(what):
        words = f"{len(points)} test points have {len(what)} descriptions."
        raise Unfit(f"sub_dims_{language}", raw[:80], words)
    pairs = zip(points, what, strict=True)
    questions = [_ASKED[language].format(what=about, point=point) for point, about in pairs]
    edition = PurePosixPath(row.file).stem.lower().removeprefix("test_prompts_")
    number = str(row.values["index"]).strip()
    tag = dimensions.get(primary)
    yield Item(
        f"{edition}/{number}",
        text,
        number,
        (edition,),
        (tag,) if isinstance(tag, str) and tag else (),
        _yes_no(questions),
        {"test_points": points, "test_point_descriptions": what, "language": language},
    )


# --- LongText: prompt and the text to be written


def _longtext(row: SetRow) -> Iterator[Item]:
    number = row.values.get("prompt_id", row.place)
    path = PurePosixPath(row.file.lower())
    language = "zh" if path.stem.endswith("zh") or "zh" in path.parts[:-1] else "en"
    text = row.values["text"]
    if not isinstance(text, str):
        text = _texts(row.values, "text")
    told = [row.values.get(name) for name in ("category", "length")]
    yield Item(
        f"{language}/{number:04d}" if isinstance(number, int) else f"{language}/{number}",
        take_text(row.values, "prompt"),
        f"{number:04d}" if isinstance(number, int) else str(number),
        (language,),
        tuple(str(tag) for tag in told if tag),
        metadata={"text": text, "language": language},
    )


# --- DPG-Bench: DSG's table of questions, a row each; prompts as texts


def _dpg(row: SetRow) -> Iterator[Item]:
    if row.form == "text":
        yield Item(row.id, row.values[TEXT], row.id)
        return
    values = row.values
    number, key = values["proposition_id"].strip(), values["item_id"].strip()
    if not _is_number(number):
        raise Unfit("proposition_id", number, "“proposition_id” must be a whole number.")
    on = [part.strip() for part in values["dependency"].split(",")]
    if not all(map(_is_number, on)):
        raise Unfit("dependency", values["dependency"], "A dependency is numbers of questions.")
    question = AtomRecord(
        int(number),
        KINDS.get(values.get("category_broad", ""), "other"),
        "",
        values["question_natural_language"],
        "Yes",
        tuple(int(part) for part in on if int(part)),
    )
    yield Item(key, values["text"], key, atoms=(question,))


def _is_number(text: str) -> bool:
    return text.isdecimal() and len(text) < 10


def _is_dpg(row: SetRow) -> bool:
    if row.form == "text":
        # One prompt a file, called by its number: other sets have many lines in one.
        return bool(re.search(r"\d", row.id)) and row.values[TEXT].count("\n") < 3
    wanted = ("item_id", "text", "proposition_id", "dependency", "tuple")
    return row.form == "table" and _has(*wanted, "question_natural_language")(row)


# --- WISE: what the prompt means stands beside it


def _wise(row: SetRow) -> Iterator[Item]:
    number = row.values["prompt_id"]
    told = [row.values.get(name) for name in ("Category", "Subcategory")]
    yield Item(
        str(number),
        take_text(row.values, "Prompt"),
        str(number),
        tags=tuple(str(tag) for tag in told if tag),
        metadata={"explanation": take_text(row.values, "Explanation"), "number": number},
    )


# --- OneIG: ids begin anew in each category

ONEIG_FOLDERS = {
    "Anime_Stylization": "anime",
    "Portrait": "human",
    "General_Object": "object",
    "Text_Rendering": "text",
    "Knowledge_Reasoning": "reasoning",
    "Multilingualism": "multilingualism",
}
ONEIG_CATEGORIES = {folder: name for name, folder in ONEIG_FOLDERS.items()}
_ONEIG_CHINESE = ("prompt_cn", "prompt_zh")
_ONEIG_PROMPTS = ("prompt_en", *_ONEIG_CHINESE, "prompt")


def _oneig(row: SetRow) -> Iterator[Item]:
    stem = PurePosixPath(row.file).stem.lower()
    is_chinese = stem.endswith(("zh", "cn")) or any(row.values.get(name) for name in _ONEIG_CHINESE)
    if row.form == "objects":
        category = ONEIG_CATEGORIES[stem.removesuffix("_zh")]
        yield _oneig_item(category, row.id, is_chinese, "", _oneig_questions(row.values), {})
    elif "text_content" in row.values:
        content = row.values["text_content"]
        id = str(row.values["id"])
        yield _oneig_item("Text_Rendering", id, is_chinese, "", (), {"text": content})
    else:
        text = next((v for n in _ONEIG_PROMPTS if (v := row.values.get(n))), "")
        if not text:
            raise Unfit("prompt_en", "", "“prompt_en” is empty.")
        tags = [row.values.get(name, "") for name in ("type_of_prompt", "prompt_length", "class")]
        category, id = (str(row.values[name]) for name in ("category", "id"))
        yield _oneig_item(category, id, is_chinese, text, (), {}, tags)


def _oneig_item(
    category: str,
    id: str,
    is_chinese: bool,
    text: str,
    atoms: tuple[AtomRecord, ...],
    metadata: Mapping[str, Any],
    tags: Sequence[str] = (),
) -> Item:
    """Both languages have the same ids."""
    folder = ONEIG_FOLDERS.get(category, category)
    kept = tuple(dict.fromkeys(tag for tag in (category, *tags) if tag and tag != "None"))
    tags = kept if text else ()
    key = f"{category}/{id}"
    folders: tuple[str, ...] = (folder,)
    if is_chinese:
        key, folders = f"zh/{key}", (folder, "zh")
    return Item(key, text, id, folders, tags, atoms, metadata)


def _oneig_questions(values: Mapping[str, Any]) -> tuple[AtomRecord, ...]:
    questions, on = (_numbered(values, name) for name in ("question", "dependency"))
    return tuple(
        AtomRecord(
            number, "other", "", str(text), "Yes", tuple(int(p) for p in on.get(number, ()) if p)
        )
        for number, text in questions.items()
    )


def _numbered(values: Mapping[str, Any], name: str) -> dict[int, Any]:
    """An object by number, which may stand as a text."""
    given: Any = values.get(name)
    try:
        held: Any = json.loads(given) if isinstance(given, str) else given
        return {int(number): value for number, value in held.items()}
    except (ValueError, AttributeError, RecursionError):
        words = f"“{name}” must be an object whose names are numbers."
        raise Unfit(name, str(given)[:80], words) from None


def _is_oneig(row: SetRow) -> bool:
    stem = PurePosixPath(row.file).stem.lower().removesuffix("_zh")
    if row.form == "objects":
        return _has("question", "dependency")(row) and stem in ONEIG_CATEGORIES
    if row.form in OBJECTS:
        # Other sets have plain “prompt” with a category and an id.
        return _has("category", "id", "prompt_en")(row) or _has("category", "id", "prompt_cn")(row)
    if row.form != "table":
        return False
    if {"id", "text_content"} <= row.values.keys():
        return True
    return _has("category", "id")(row) and any(name in row.values for name in _ONEIG_PROMPTS)


# --- CVTG: numbers begin anew in each file


def _is_cvtg(row: SetRow) -> bool:
    if row.form == "data_list":
        return "prompt" in row.values
    return row.form in OBJECTS and _has("prompt", "sentence_list", "carrier_list")(row)


def _cvtg(row: SetRow) -> Iterator[Item]:
    path = PurePosixPath(row.file)
    number = str(row.values.get("index", row.place))
    folders = (*path.parts[:-1][-1:], path.stem)
    yield Item(
        "/".join((*folders, number)),
        take_text(row.values, "prompt"),
        number,
        folders,
        folders,
        metadata={"sentences": row.values.get("sentence_list") or []},
    )


# --- TIIF: a short and a long prompt, numbered within their kind


def _tiif(row: SetRow) -> Iterator[Item]:
    kind = take_text(row.values, "type")
    atoms: tuple[AtomRecord, ...] = ()
    if "yn_question_list" in row.values:
        questions = _texts(row.values, "yn_question_list")
        answers = _texts(row.values, "yn_answer_list")
        if len(questions) != len(answers):
            words = f"{len(questions)} questions have {len(answers)} answers."
            raise Unfit("yn_answer_list", len(answers), words)
        atoms = tuple(
            AtomRecord(place, "other", "", question.strip(), answer.strip().capitalize())
            for place, (question, answer) in enumerate(zip(questions, answers, strict=True))
        )
    number = str(row.place)
    for length in ("short", "long"):
        text = row.values.get(f"{length}_description")
        yield Item(
            f"{kind}/{number}/{length}",
            text if isinstance(text, str) else "",
            number,
            (kind, f"{length}_description"),
            (kind, length) if text else (),
            atoms,
            {"language": "en"} if text else {},
        )


SETS = {
    "corebench": PromptSet(
        "T2I-CoReBench: prompts with checklists (JSON)",
        "checklist",
        lambda row: row.form == "objects" and _has("Prompt", "Checklist")(row),
        _corebench,
    ),
    "unigenbench": PromptSet(
        "UniGenBench: prompts with test points (CSV), English and Chinese",
        "checklist",
        lambda row: (
            _has("index", "prompt_en", "sub_dims_en")(row)
            or _has("index", "prompt_zh", "sub_dims_zh")(row)
        ),
        _unigenbench,
    ),
    "longtext": PromptSet(
        "LongText: prompts with the text to be written (JSONL)",
        "written-text",
        lambda row: row.form in OBJECTS and _has("category", "length", "prompt", "text")(row),
        _longtext,
    ),
    "dpg": PromptSet(
        "DPG-Bench: questions (CSV), prompts as texts, four pictures in a grid",
        "checklist",
        _is_dpg,
        _dpg,
        grid=2,
    ),
    "wise": PromptSet(
        "WISE: prompts with their explanation (JSON)",
        "wise",
        lambda row: row.form in OBJECTS and _has("prompt_id", "Prompt", "Explanation")(row),
        _wise,
    ),
    "oneig": PromptSet(
        "OneIG: prompts (CSV), questions (JSON), texts to be written",
        "checklist",
        _is_oneig,
        _oneig,
        grid=2,
    ),
    "cvtg": PromptSet("CVTG: prompts with several texts (JSON)", "written-text", _is_cvtg, _cvtg),
    "tiif": PromptSet(
        "TIIF: short and long prompts, yes-or-no questions (JSONL)",
        "checklist",
        lambda row: (
            row.form in OBJECTS
            and "type" in row.values
            and bool({"short_description", "yn_question_list"} & row.values.keys())
        ),
        _tiif,
    ),
}

"""Files of the sets as people have them: saved by another program, renamed, in another folder, or results alone."""

import csv
import io
import json

import pytest

from jurybox_formats.guess_format import guess
from jurybox_formats.registry import Source, records
from jurybox_formats.sources.records import PromptRecord, Rejected, Unreadable
from tests.formats.sets.prompt_sets import small


def prompts_of(name, folder):
    found = list(records(name, Source(folder)))
    assert [one for one in found if isinstance(one, Rejected)] == []
    return {(p.key, p.text, len(p.atoms)) for p in found if isinstance(p, PromptRecord)}


def with_mark(file, text):
    return file, b"\xef\xbb\xbf" + text.encode()


def with_returns(file, text):
    return file, text.replace("\n", "\r\n").encode()


def turned(file, text):
    """Columns the other way round, and one more."""
    if not file.endswith(".csv"):
        return file, text.encode()
    rows = csv.DictReader(io.StringIO(text))
    return file, small.table(
        *({"mine": "1", **dict(reversed(row.items()))} for row in rows)
    ).encode()


def deeper(file, text):
    return f"Repo-main/data/{file}", text.encode()


def with_semicolons(file, text):
    if not file.endswith(".csv"):
        return file, text.encode()
    out = io.StringIO()
    csv.writer(out, delimiter=";").writerows(csv.reader(io.StringIO(text)))
    return file, out.getvalue().encode()


def as_list(file, text):
    if not file.endswith(".jsonl"):
        return file, text.encode()
    return file[:-1], json.dumps([json.loads(line) for line in text.splitlines()]).encode()


def in_capitals(file, text):
    folder, slash, last = file.rpartition("/")
    return f"{folder}{slash}{last.upper()}", text.encode()


VARIANTS = (with_mark, with_returns, turned, deeper, with_semicolons, as_list, in_capitals)


@pytest.mark.parametrize("vary", VARIANTS)
@pytest.mark.parametrize("name", small.FILES)
def test_a_set_saved_in_another_way_is_the_same_set(tmp_path, name, vary):
    small.write(tmp_path / "plain", name)
    for file, text in small.FILES[name].items():
        varied, content = vary(file, text)
        path = tmp_path / "set" / varied
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    assert prompts_of(name, tmp_path / "set") == prompts_of(name, tmp_path / "plain")
    assert guess(tmp_path / "set") == (name, "study")


def test_lists_and_lines_are_read_alike(tmp_path):
    wise = json.loads(small.FILES["wise"]["cultural_common_sense.json"])
    (tmp_path / "wise.jsonl").write_text(small.lines(*wise))
    assert len(prompts_of("wise", tmp_path)) == 2
    cvtg = [row for text in small.FILES["cvtg"].values() for row in json.loads(text)["data_list"]]
    cvtg[1]["index"] = 1
    (tmp_path / "cvtg.json").write_text(json.dumps(cvtg))
    assert len(prompts_of("cvtg", tmp_path)) == 2


def test_a_language_may_be_told_by_the_folder(tmp_path):
    for language, prompt in (("en", "A sign"), ("zh", "招牌")):
        (tmp_path / language).mkdir()
        row = {"category": "sign", "length": "short", "prompt": prompt, "text": ["OPEN"]}
        (tmp_path / language / "prompts.jsonl").write_text(small.lines(row))
    assert {key for key, *_ in prompts_of("longtext", tmp_path)} == {"en/0000", "zh/0000"}


def test_results_without_prompts_say_what_to_bring(tmp_path):
    (tmp_path / "scores.jsonl").write_text(small.lines({"prompt_id": 1, "score": 0.5}))
    with pytest.raises(Unreadable, match="holds results of WISE, and not its prompts"):
        prompts_of("wise", tmp_path)
    assert guess(tmp_path) == ("wise", "scores")


def test_a_file_that_cannot_be_read_is_named_where_nothing_else_is_there(tmp_path):
    (tmp_path / "prompts.json").write_bytes("[]".encode("utf-16"))
    with pytest.raises(Unreadable, match=r"no prompts of WISE. .*UTF-16"):
        prompts_of("wise", tmp_path)

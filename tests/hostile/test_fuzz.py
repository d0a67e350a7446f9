"""Whatever comes in: it is taken, or it is refused with a sentence and leaves nothing behind.

Ten cases of each property in every run, always the same, a hundred before a release; `make fuzz`
draws new ones by the thousand.
"""

from __future__ import annotations

import io
import json
import os
import string
import uuid
import zipfile
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.db import transaction
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from annotations.errors import FormRefused, ImportRefused, LabelRefused
from annotations.forms.display import blocks
from annotations.forms.html import questions_html
from annotations.forms.validate_answers import validated
from annotations.labelling import record
from annotations.pictures.store import check_picture
from audit.test_judge.sent_files import place_sent_files
from judges import draft_questions
from judges.intake import bring_in
from judges.lake.score_files import ScoreFolder
from jurybox_formats.forms import text_format
from jurybox_formats.forms.per_image import PromptFacts, questions_about
from jurybox_formats.forms.validate_definition import read_form
from jurybox_formats.prompt_grammar import parse as prompt_parser
from jurybox_formats.registry import FORMATS, Source
from jurybox_formats.sources import archives
from jurybox_formats.sources.records import AtomRecord
from jurybox_judging import noun_phrases
from jurybox_judging.engines import openai_server
from jurybox_judging.engines.from_file import FromFile
from jurybox_judging.engines.shared.http_json import Declined, Server, Unanswered
from jurybox_judging.errors import EngineRefused
from jurybox_judging.methods import chain_of_thought, dsg
from jurybox_judging.protocols import Question
from tests.hostile import mangling
from tests.hostile.mangling import ANYTHING, mangled, reshaped, written
from tests.judges.lake import making_lake
from tests.test_bad_files import rows

try:
    from pyarrow import ArrowException
except ImportError:
    ArrowException = ValueError
# How many cases each property met, for `make fuzz` to print.
CASES: Counter[str] = Counter()
NIGHT = "FUZZ_CASES" in os.environ
HOW = settings(
    # A hundred in `make test-all`, thousands in `make fuzz`.
    max_examples=int(os.environ.get("FUZZ_CASES", "10")),
    derandomize=not NIGHT,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


def is_a_sentence(words: str) -> bool:
    return len(words) > 10 and words.rstrip("”)")[-1:] in ".!?" and "Traceback" not in words


def fuzzed(*strategies: st.SearchStrategy, **named: st.SearchStrategy):
    """Many cases, counted."""

    def over(test):
        return HOW(given(*strategies, **named)(test))

    return over


def met(name: str) -> None:
    CASES[name] += 1


@pytest.fixture
def before(db, request):
    """How many rows there are: every case of a test begins there, and is rolled back to it."""
    for name in {"study", "bob"} & set(request.fixturenames):
        request.getfixturevalue(name)
    return rows()


def import_or_refuse(verb, before: dict[str, int]) -> None:
    """Carried out and taken back; a refusal has words, and no row came or went."""
    with transaction.atomic():
        try:
            outcome = verb()
        except ImportRefused as refusal:
            assert is_a_sentence(refusal.message), refusal.message
            assert rows() == before
        else:
            for row in outcome.rejected:
                assert is_a_sentence(row["reason"]), row["reason"]
            json.dumps(outcome.as_json())
            outcome.as_text()
        transaction.set_rollback(True)


def test_every_format_is_fuzzed():
    assert {format for format, _, _ in mangling.FILES.values()} == FORMATS.keys()


@pytest.mark.django_db
@pytest.mark.parametrize("name", mangling.FILES)
@fuzzed(data=st.data())
def test_a_study_is_imported_or_refused(name, before, tmp_path, data):
    met(f"import of {name}")
    format, file, contents = mangling.FILES[name]
    path = tmp_path / file
    path.write_bytes(data.draw(contents))
    source = Source(path, atoms=data.draw(st.sampled_from([None, prompt_parser.parse])))
    strict = data.draw(st.booleans())
    import_or_refuse(
        lambda: bring_in.import_study(slug="fuzz", format=format, source=source, strict=strict),
        before,
    )


PAIRS = (
    b'[{"id": "p0", "prompt_content": ["a"], "chosen": "a", "human_annotations": [6]}]',
    b'{"id": "p0", "instruct_prompt": "a", "vote_type": "tievote"}',
    b"id,instruction,ranking,comparison_type\np0,a,A>B,AvsB",
    b"id,prompt,weighted_results_image1_preference,weighted_results_image2_preference\np0,a,1,0",
)
PAIRS += (
    b'{"00001": {"id": "00001", "prompt": "a", "models": {"A": [5, 4, 3], "B": [1, 1, 2]}}}',
    b'{"C-MI-001": {"Checklist": [{"question": "?", "score": 1}, {"question": "?", "score": 0}]}}',
)
VOTES = (
    b"pair,vote,vote_swapped\np0,a,tie",
    b"pair,score_a,score_b\np0,0.5,1",
    b"image,score\nA/00001,0.5\nB/1,2",
    b"check,answer\nC-MI-001#0,yes",
)


@fuzzed(
    known=st.one_of(*map(mangled, PAIRS), *map(st.just, PAIRS)),
    votes=st.one_of(*map(mangled, VOTES), *map(st.just, VOTES)),
)
def test_a_judge_gets_its_place_on_a_set_or_a_sentence(known, votes):
    met("published set")
    try:
        found = place_sent_files(io.BytesIO(known), io.BytesIO(votes))
    except ImportRefused as refusal:
        assert is_a_sentence(refusal.message), refusal.message
    else:
        json.dumps(found, allow_nan=False)


PARTS = {"labels": (bring_in.import_labels, mangling.LABELS)}
PARTS["scores"] = (bring_in.import_scores, mangling.SCORES)


@pytest.mark.django_db
@pytest.mark.parametrize("name", PARTS)
@fuzzed(data=st.data())
def test_labels_and_scores_are_imported_or_refused(name, study, before, tmp_path, data):
    met(f"import of {name}")
    verb, sound = PARTS[name]
    header, *lines = sound.splitlines()
    objects = [dict(zip(header.split(","), line.split(","), strict=True)) for line in lines]
    if data.draw(st.booleans()):
        path = tmp_path / f"{name}.csv"
        path.write_bytes(data.draw(mangling.table(sound)))
    else:
        path = tmp_path / f"{name}.jsonl"
        path.write_bytes(data.draw(written(objects, lines=True)))
    import_or_refuse(lambda: verb(study=study, source=Source(path)), before)


@pytest.fixture
def lake_part(study, tmp_path):
    """A sound part of a judged lake of the study's pictures: where it lies, its facts and its rows."""
    pytest.importorskip("pyarrow")
    making_lake.tar(tmp_path / "lake" / "a.tar", making_lake.samples_of(study)[:2])
    making_lake.judged(tmp_path / "lake", tmp_path / "out")
    folder = ScoreFolder(tmp_path / "out")
    ((name, facts),) = folder.parts()
    folder.begin([name])
    return folder, name, facts, folder.rows(name), (folder.path / name).read_bytes()


@pytest.mark.django_db
@pytest.mark.parametrize("what", ["bytes", "facts", "rows"])
@fuzzed(data=st.data())
def test_scores_of_a_lake_are_imported_or_refused(what, lake_part, study, before, data):
    met(f"import of a lake's {what}")
    folder, name, facts, rows_there, content = lake_part
    if what == "bytes":
        (folder.path / name).write_bytes(data.draw(mangled(content)))
    else:
        given = data.draw(reshaped(facts if what == "facts" else rows_there))
        try:
            if what == "facts":
                folder.write(name, given if isinstance(given, dict) else {}, rows_there)
            else:
                folder.write(name, facts, given)
        except (AttributeError, TypeError, ValueError, OverflowError, ArrowException):
            assume(False)
    import_or_refuse(lambda: bring_in.import_lake_scores(study=study, path=folder.path), before)


@pytest.mark.parametrize("kind", mangling.PICTURES)
@fuzzed(data=st.data())
def test_a_picture_is_sound_or_refused(kind, data):
    met(f"picture: {kind}")
    try:
        found = check_picture(
            data.draw(mangled(mangling.PICTURES[kind])), name="a.png", study="shapes"
        )
    except ImportRefused as refusal:
        assert is_a_sentence(refusal.message), refusal.message
    else:
        assert found.width > 0
        assert found.height > 0


@pytest.mark.parametrize("kind", mangling.ARCHIVES)
@fuzzed(data=st.data())
def test_an_archive_stays_in_its_folder_or_is_refused(kind, tmp_path, data):
    met(f"archive: {kind}")
    room = tmp_path / uuid.uuid4().hex
    room.mkdir()
    (room / "a").write_bytes(data.draw(mangling.ARCHIVES[kind]))
    folder = room / "inside" / "folder"
    try:
        found = archives.unpack(room / "a", folder)
    except ImportRefused as refusal:
        assert is_a_sentence(refusal.message), refusal.message
        assert not folder.exists()
    else:
        assert found.resolve().is_relative_to(folder.resolve())
    assert sorted(path.name for path in room.iterdir()) == ["a", "inside"]
    assert not any(path.is_symlink() for path in room.rglob("*"))


FORM = """Title: What went wrong
Introduction: Look at the whole image first.

aligned (yes/no): Does the image align with the prompt?
wrong (several, when aligned is No): What is wrong?
- The number of objects
- colour = A colour
hands (whole number 0 to 20, optional): How many hands are visible?
> A few words are enough.
mood (scale, when hands above 3): How is it?
- Bad
- Good
part (yes/no, per atom): Is it there?
comment (text, optional): Anything else?
"""
SUBJECT = PromptFacts(
    "two red dogs",
    objects=("dog",),
    atoms=(AtomRecord(0, "object", "dog", "Are there any dogs?", "Yes"),),
)


def form_or_refusal(definition) -> None:
    try:
        form = read_form(definition() if callable(definition) else definition)
    except FormRefused as refusal:
        assert refusal.wrong
        assert all(map(is_a_sentence, refusal.wrong)), refusal.wrong
    else:
        # What can be used can be shown, written down and read again.
        questions_html(blocks(SUBJECT.prompt, questions_about(form, SUBJECT), {}), SUBJECT.prompt)
        assert read_form(text_format.parse(text_format.as_text(form))).questions == form.questions


WORDS = st.text(string.printable, max_size=60)
LINES = st.lists(
    st.sampled_from(FORM.splitlines()) | WORDS | st.text(max_size=20), max_size=12
).map("\n".join)


@fuzzed(LINES | mangled(FORM.encode()).map(lambda b: b.decode(errors="replace")))
def test_a_form_in_lines_is_read_or_refused(text):
    met("own form, in lines")
    form_or_refusal(lambda: text_format.parse(text))


DEFINITION = text_format.parse(FORM)


@fuzzed(reshaped(DEFINITION) | ANYTHING)
def test_a_form_as_an_object_is_read_or_refused(definition):
    met("own form, as an object")
    form_or_refusal(definition)


@fuzzed(written(DEFINITION).map(lambda content: content.decode(errors="replace")))
def test_a_form_in_json_is_read_or_refused(text):
    met("own form, in JSON")
    form_or_refusal(lambda: text_format.parse(text))


KEYS = st.sampled_from(["aligned", "wrong", "hands", "mood", "part.0", "part", "comment", "x"])
ANSWER = ANYTHING | st.sampled_from([0, 1, "1", "yes", 1.0, "colour", ["colour"], "2", "inf"])


@fuzzed(st.dictionaries(KEYS, ANSWER, max_size=8))
def test_answers_are_kept_or_refused(answers):
    met("answers, any form")
    form = read_form(DEFINITION)
    try:
        kept = validated(form, questions_about(form, SUBJECT), answers)
    except LabelRefused as refusal:
        assert is_a_sentence(refusal.message), refusal.message
    else:
        for value in kept.values():
            str(value).encode()


@pytest.mark.django_db
@fuzzed(
    answers=st.dictionaries(
        st.sampled_from(["aligned", "quality", "x"]) | st.text(max_size=5), ANSWER, max_size=4
    )
    | st.fixed_dictionaries({"aligned": ANSWER, "quality": ANSWER}),
    seconds=st.none() | st.floats() | st.integers(),
)
def test_answers_reach_the_tables_or_leave_them_alone(study, alice, before, answers, seconds):
    met("answers, recorded")
    with transaction.atomic():
        try:
            record.record_label(
                image=study.images.first(),
                annotator=alice,
                form=study.form,
                answers=answers,
                submission=uuid.uuid4(),
                seconds=seconds,
            )
        except LabelRefused as refusal:
            assert is_a_sentence(refusal.message), refusal.message
            assert rows() == before
        transaction.set_rollback(True)


SENT = {
    "image": "x",
    "form": 1,
    "answers": {"aligned": 1, "quality": 0},
    "seconds": 3.5,
    "submission": "00000000-0000-4000-8000-000000000000",
}


@pytest.mark.django_db
@fuzzed(body=written(SENT))
def test_what_is_posted_never_breaks_the_server(study, bob, as_bob, before, body):
    met("labels, posted")
    body = body.replace(b'"x"', json.dumps(study.images.first().public_id).encode())
    body = body.replace(b'"form": 1', f'"form": {study.form_id}'.encode())
    with transaction.atomic():
        answer = as_bob.post(
            f"/api/v1/studies/{study.slug}/labels/", body, content_type="application/json"
        )
        assert answer.status_code < 500
        if answer.status_code >= 400:
            assert rows() == before
        transaction.set_rollback(True)


ENGLISH = ("a", "the", "two", "red", "big", "dog", "dogs", "on", "left", "of", "is", ",", "running")
PROMPTS = (
    st.text(max_size=200)
    | st.lists(
        st.sampled_from(ENGLISH),
        max_size=30,
    ).map(" ".join)
    | st.text(string.ascii_lowercase + " ,.'-", max_size=200)
)


@fuzzed(PROMPTS)
def test_a_prompt_in_free_words_is_read(prompt):
    met("free prompts")
    atoms = prompt_parser.parse(prompt)
    assert [atom.index for atom in atoms] == list(range(len(atoms)))
    assert all(parent < atom.index for atom in atoms for parent in atom.parents)
    for phrase in noun_phrases.by_grammar(prompt):
        assert phrase.nouns


REPLIES = (
    st.text(max_size=100)
    | written({"score": 80, "reason": "x"}).map(lambda b: b.decode(errors="replace"))
    | st.sampled_from(['{"score": ' + "9" * 400 + "}", '{"score":' * 2000, "{" * 5000])
)


@fuzzed(REPLIES)
def test_a_score_is_read_in_a_reply_or_none_is(reply):
    met("judges' replies")
    for reading in chain_of_thought.READINGS:
        score = chain_of_thought.read_score(reply, reading)
        assert score is None or 0 <= score <= 100


DRAFT = [
    {
        "question": "a cat?",
        "answer": "yes",
        "choices": ["yes", "no"],
        "element_type": "animal",
        "element": "cat",
        "type": "entity",
        "detail": "whole",
        "statement": "cat",
        "depends_on": [],
    }
]
READERS = {
    "tifa": draft_questions.tifa_rows,
    "dsg": draft_questions.dsg_rows,
    "rewritten": draft_questions.rewritten_rows,
}


@pytest.mark.parametrize("name", READERS)
@fuzzed(data=st.data())
def test_drafted_questions_are_read_or_refused(name, data):
    met(f"drafts: {name}")
    reply = data.draw(written(DRAFT)).decode(errors="replace")
    try:
        json.dumps(READERS[name]("key", "a cat", reply))
    except ValueError as error:
        assert is_a_sentence(str(error)), error


@fuzzed(st.text("0123456789|, \nab(", max_size=60) | st.text(max_size=40))
def test_questions_with_dependencies_are_read_or_refused(text):
    met("DSG's lines")
    for read in (dsg.parse_tuples, dsg.parse_dependencies, dsg.parse_questions):
        try:
            read(text)
        except ValueError as error:
            assert is_a_sentence(str(error)), error


REPLY = {
    "choices": [
        {
            "message": {"content": "Yes"},
            "logprobs": {
                "content": [
                    {
                        "token": "Yes",
                        "logprob": -0.1,
                        "top_logprobs": [{"token": "No", "logprob": -2.5}],
                    }
                ]
            },
        }
    ],
    "usage": {"prompt_tokens": 5, "completion_tokens": 1},
}
ASKED = Question("a cat?", ("Yes", "No"))


@fuzzed(written(REPLY), st.sampled_from([200, 200, 200, 204, 302, 400, 429, 500]))
def test_a_servers_reply_is_an_answer_or_a_reason(body, status):
    met("servers' replies")
    server = Server(urlsplit("http://127.0.0.1/v1"), "a-secret")
    try:
        body = server._read(status, {}, body)
    except (Unanswered, Declined) as failure:
        assert len(failure.reason) < 500
        assert "a-secret" not in failure.reason
        return
    replies = openai_server._Replies((body,), 0.1)
    answer = openai_server._answer(ASKED, replies)
    assert (answer.probability is None) == bool(answer.reason)
    openai_server._text_or_reason(replies)


COCO = {
    "images": [{"id": 1, "file_name": "a.png"}],
    "categories": [{"id": 1, "name": "cat"}],
    "annotations": [
        {
            "image_id": 1,
            "category_id": 1,
            "bbox": [0, 0, 2, 2],
            "score": 0.5,
            "segmentation": {"size": [2, 2], "counts": [0, 4]},
        }
    ],
}
LOOKED_UP = {
    "a.json": written(COCO),
    "results.jsonl": written([mangling.RESULT], lines=True),
}


@pytest.mark.parametrize("name", LOOKED_UP)
@fuzzed(data=st.data())
def test_detections_from_a_file_are_read_or_refused(name, tmp_path, data):
    met(f"detections: {name}")
    file: Path = tmp_path / name
    file.write_bytes(data.draw(LOOKED_UP[name]))
    try:
        FromFile(str(file)).load()
    except EngineRefused as refusal:
        assert is_a_sentence(str(refusal)), refusal


# What was found once: it broke what it met, and is refused now, in every run.
ROW = {"image_id": "i", "prompt_id": "p", "prompt": "x", "generator": "g"}
ATOM = {"kind": "object", "text": "x"}
FOUND = {
    "a list as variant": {**ROW, "variant": [None]},
    "a number too large to be one": {**ROW, "atomicity": 10**400},
    "an atom before the first": {**ROW, "atoms": [{**ATOM, "index": -1}]},
    "an atom beyond all": {**ROW, "atoms": [{**ATOM, "index": 10**400}]},
    "more atoms than words": {**ROW, "atoms": [ATOM] * 1001},
    "a name that no disk takes": {**ROW, "file": "a" * 300},
}
FOUND_LABELS = {
    "a list as value": {"value": []},
    "a value too large": {"value": 10**400},
    "before the first day": {"value": 1, "submitted_at": "0001-01-01T00:00:00+14:00"},
}


def reasons(outcome) -> list[str]:
    return [row["reason"] for row in outcome.rejected]


@pytest.mark.django_db
@pytest.mark.parametrize("name", FOUND)
def test_a_row_that_was_found_is_refused(name, tmp_path):
    path = tmp_path / "images.jsonl"
    path.write_text(json.dumps(FOUND[name]))
    outcome = bring_in.import_study(slug="found", format="tidy", source=Source(path))
    assert len(outcome.rejected) >= 1
    assert outcome.images == 0
    assert all(map(is_a_sentence, reasons(outcome)))


@pytest.mark.django_db
@pytest.mark.parametrize("name", FOUND_LABELS)
def test_a_label_that_was_found_is_refused(name, study, tmp_path):
    path = tmp_path / "labels.jsonl"
    row = {"image_id": "early-0", "rater": "ann", "question": "mood", **FOUND_LABELS[name]}
    path.write_text(json.dumps(row))
    outcome = bring_in.import_labels(study=study, source=Source(path))
    assert outcome.answers == 0
    assert all(map(is_a_sentence, reasons(outcome)))
    assert len(outcome.rejected) == 1


@pytest.mark.django_db
def test_a_sample_before_the_first_is_refused(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(mangling.CROWD.replace("1_0,0,1,", "1_0,0,-1,"))
    outcome = bring_in.import_study(slug="found", format="geneval", source=Source(path))
    assert "Samples are numbered from 0." in reasons(outcome)


@pytest.mark.parametrize("name", ["", "."])
def test_an_archive_of_a_nameless_file_is_refused(name, tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as file:
        info = zipfile.ZipInfo("x")
        info.filename = name
        file.writestr(info, b"x")
    with pytest.raises(ImportRefused, match="below the archive's own folder"):
        archives.unpack(tmp_path / "a.zip", tmp_path / "out")


@pytest.mark.parametrize("sent", [10**400, "\ud800", "a\x07"], ids=["number", "half", "bell"])
def test_an_answer_that_was_found_is_refused(sent):
    form = read_form(DEFINITION)
    for answers in ({"aligned": sent}, {"aligned": 1, "part.0": 1, "comment": sent}):
        if isinstance(sent, str) or "comment" not in answers:
            with pytest.raises(LabelRefused):
                validated(form, questions_about(form, SUBJECT), answers)


def test_a_form_of_endless_digits_is_refused():
    with pytest.raises(FormRefused, match="thousands of digits"):
        text_format.parse('{"title": ' + "9" * 5000 + "}")


def test_a_form_with_one_bound_only_is_written_down_whole():
    number = {"name": "hands", "text": "How many?", "kind": "number", "least": 3}
    form = read_form({"title": "Hands", "questions": [number]})
    assert read_form(text_format.parse(text_format.as_text(form))).questions[0].least == 3


@pytest.mark.parametrize(
    "text",
    [json.dumps({**COCO, "categories": []}), "[" * 100_000, "{}", "[]"]
    + [json.dumps(COCO).replace("[0, 0, 2, 2]", f"[{10**400}, 0, 2, 2]")],
    ids=["no class", "deep", "empty", "list", "large"],
)
def test_detections_that_were_found_are_refused(text, tmp_path):
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(EngineRefused, match="neither a results.jsonl"):
        FromFile(str(tmp_path / "a.json")).load()


def test_a_score_too_large_to_be_one_is_none():
    assert chain_of_thought.read_score('{"score": ' + "9" * 400 + "}", "json") is None


@pytest.mark.parametrize("text", ["1 | ", "1 | 0, 0", "9999999999 | 0"])
def test_dependencies_of_nothing_are_refused_with_a_sentence(text):
    with pytest.raises(ValueError, match="“"):
        dsg.parse_dependencies(text)

"""A study goes into a lake and gives the same report there, digit for digit."""

import itertools
import json
import os
import random
import shutil
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial

import duckdb
import pyarrow
import pyarrow.parquet as parquet
import pytest
from django.core.management import CommandError, call_command

from annotations.models import Annotation, Answer, Atom, Study
from annotations.storage.written_files import WriteRefused
from audit.reports.make import Computation
from audit.reports.options import Options
from audit.reports.pairing import Database
from audit.reports.progress import Progress
from audit.series.lake import LakeStudy
from audit.series.lake_files import LakeRefused, checked_files, sha256
from audit.series.write_lake import write_study
from judges.intake import bring_in
from judges.models import AtomScore, Score
from jurybox_formats.forms.scales import CANT_TELL
from jurybox_formats.registry import Source
from tests.audit.series import tables as made_tables

pytestmark = pytest.mark.django_db
OPTIONS = Options(resamples=100)
FIRST, THEN = datetime(2026, 3, 31, 23, 59, tzinfo=UTC), datetime(2026, 4, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def once(make_once, tmp_path_factory):
    """The study, and its lake."""
    folder = tmp_path_factory.mktemp("once")
    study = make_once(build_study, folder)
    make_once(partial(write_study, study, folder / "lake", people="nobody"))
    return study.pk, folder / "lake"


def build_study(folder):
    """60 images, three people, two judges; half of the answers came in another month; atoms, words and
    answers that cannot be given."""
    tables = made_tables.write(folder / "tables", images=60, judges=2)
    bring_in.import_study(slug="audited", format="tidy", source=Source(tables))
    made = Study.objects.get(slug="audited")
    forms = Annotation.objects.filter(study=made)
    forms.update(submitted_at=FIRST)
    forms.filter(image__key__gt="im-3").update(submitted_at=THEN)
    for number, form in enumerate(forms.order_by("pk")):
        atom, _ = Atom.objects.get_or_create(
            prompt=form.image.prompt, index=2, defaults={"kind": "object", "text": "a wave"}
        )
        Answer.objects.create(annotation=form, question="atom", atom=atom, value=number % 3 > 0)
        words = ("a cat", "a dog", CANT_TELL)[number % 3]
        Answer.objects.create(annotation=form, question="what", text=words)
    for score in Score.objects.filter(run__study=made):
        atom = score.image.prompt.atoms.get()
        AtomScore.objects.create(score=score, atom=atom, value=(score.pk * 7919 % 100) / 100)
    some = Score.objects.filter(run__study=made).order_by("pk")
    some.filter(pk__in=list(some.values_list("pk", flat=True)[:3])).update(
        value=None, error="broken"
    )
    return made


@pytest.fixture
def study(db, once):
    return Study.objects.get(pk=once[0])


@pytest.fixture
def lake(study, once, tmp_path):
    shutil.copytree(once[1], tmp_path / "lake")
    return tmp_path / "lake" / "audited"


def body_of(source, options=OPTIONS):
    return Computation(source, options, Progress()).body


def test_families_of_prompts_are_drawn_together_there_too(study, tmp_path):
    for number, prompt in enumerate(study.prompts.order_by("key")):
        prompt.family = f"template {number % 4}" if number else ""
        prompt.save(update_fields=["family"])
    write_study(study, tmp_path / "lake", people="nobody")
    expected = body_of(Database(study))
    assert expected["signature"]["clusters"] == "5 families of 12 prompts"
    assert body_of(LakeStudy(tmp_path / "lake" / "audited")) == expected


def test_prompts_of_an_older_lake_have_no_families(study, lake):
    expected = body_of(LakeStudy(lake))
    file = lake / "prompts.parquet"
    parquet.write_table(parquet.read_table(file).drop_columns(["family"]), file)
    manifest = json.loads((lake / "manifest.json").read_text())
    for one in manifest["files"]:
        one["sha256"] = sha256(lake / one["file"])
    (lake / "manifest.json").write_text(json.dumps(manifest))
    assert body_of(LakeStudy(lake)) == expected


@pytest.mark.parametrize("question", [None, "aligned"])
def test_a_report_from_the_lake_is_the_databases_to_the_last_digit(study, lake, question):
    options = Options(resamples=100, question=question)
    expected = body_of(Database(study), options)
    assert expected["people"]["cannot_tell"]["what"] == {"n": 60, "of": 180}
    assert expected["people"]["in_words"]["what"]["answers"] == 120
    assert expected["judges"]["judge-0"]["by_atom_kind"]
    assert sum(one["failed"] for one in expected["missing"]["scores"].values()) == 3
    assert body_of(LakeStudy(lake), options) == expected


def test_under_pseudonyms_only_the_names_are_others(study, tmp_path):
    write_study(study, tmp_path)
    body = body_of(LakeStudy(tmp_path / "audited"))
    expected = body_of(Database(study))
    assert "rater-0" not in json.dumps(body)
    assert (
        body["judges"]["judge-0"]["overall"]["auroc"]
        == (expected["judges"]["judge-0"]["overall"]["auroc"])
    )
    assert body["signature"]["data"] != expected["signature"]["data"]


def test_the_files_hold_every_row_by_month_and_open_with_pyarrow_and_duckdb_alone(study, lake):
    manifest = checked_files(lake)[0]
    rows = {one["file"]: one["rows"] for one in manifest["files"]}
    early = Annotation.objects.filter(study=study, submitted_at=FIRST).count()
    assert 0 < early < 180
    assert rows == {
        "answers/2026-03.parquet": 3 * early,
        "answers/2026-04.parquet": 3 * (180 - early),
        "images.parquet": 60,
        "prompts.parquet": 12,
        "generators.parquet": 5,
        "scores/0.parquet": 60,
        "scores/1.parquet": 60,
        "atom-scores/0.parquet": 60,
        "atom-scores/1.parquet": 60,
    }
    for file, count in rows.items():
        assert parquet.read_table(lake / file).num_rows == count
    answered = duckdb.read_parquet(f"{lake}/answers/*.parquet")
    found = answered.aggregate("question, count(*), sum(value)").order("question").fetchall()
    answers = Answer.objects.filter(annotation__study=study)
    yes = answers.filter(question="aligned", value=1).count()
    assert found == [("aligned", 180, yes), ("atom", 180, 120.0), ("what", 180, None)]


def test_each_answer_has_the_language_in_which_it_was_asked_for(study, lake):
    forms = Annotation.objects.filter(study=study)
    forms.filter(image__key__gt="im-3").update(language="de")
    expected = forms.filter(language="de").count()
    assert 0 < expected < 180
    write_study(study, lake.parent, people="nobody")
    answers = duckdb.read_parquet(f"{lake}/answers/*.parquet").filter("question = 'aligned'")
    found = answers.aggregate("language, count(*)").order("language").fetchall()
    assert found == [("", 180 - expected), ("de", expected)]
    assert LakeStudy(lake).languages("aligned") == {"": 180 - expected, "de": expected}


def test_a_month_of_an_older_version_is_read_and_its_languages_are_unknown(study, lake, capsys):
    """One month without the column, as it was written before."""
    early = Annotation.objects.filter(study=study, submitted_at=FIRST).count()
    expected = body_of(Database(study))
    file = lake / "answers/2026-03.parquet"
    parquet.write_table(parquet.read_table(file).drop_columns(["language"]), file)
    manifest = json.loads((lake / "manifest.json").read_text())
    for one in manifest["files"]:
        if one["file"] == "answers/2026-03.parquet":
            one["sha256"] = sha256(file)
    (lake / "manifest.json").write_text(json.dumps(manifest))
    source = LakeStudy(lake)
    assert source.languages("aligned") == {None: early, "": 180 - early}
    assert body_of(source) == expected
    call_command("report", "audited", "--lake", str(lake.parent), "--resamples", "100")
    said = f"in its own words {180 - early} times, in an unknown language {early} times."
    assert said in capsys.readouterr().out


def test_a_second_export_writes_only_the_month_that_has_changed(study, lake):
    assert write_study(study, lake.parent, people="nobody").written == []
    answer = Answer.objects.filter(annotation__submitted_at=THEN, question="aligned").first()
    Answer.objects.filter(pk=answer.pk).update(value=1 - answer.value)
    again = write_study(study, lake.parent, people="nobody")
    assert again.written == ["answers/2026-04.parquet"]
    assert body_of(LakeStudy(lake)) == body_of(Database(study))


def test_what_the_study_no_longer_has_goes_from_the_lake(study, lake):
    Annotation.objects.filter(submitted_at=FIRST).update(state="withdrawn")
    write_study(study, lake.parent, people="nobody")
    assert not (lake / "answers/2026-03.parquet").exists()
    assert body_of(LakeStudy(lake)) == body_of(Database(study))


@pytest.mark.parametrize("harm", ["a byte", "gone", "no manifest", "another format"])
def test_a_file_that_was_changed_is_named(lake, harm):
    file = lake / "answers/2026-04.parquet"
    if harm == "a byte":
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 1
        file.write_bytes(content)
    elif harm == "gone":
        file.unlink()
    elif harm == "no manifest":
        (lake / "manifest.json").unlink()
    else:
        (lake / "manifest.json").write_text('{"format": 99}')
    words = {
        "a byte": "2026-04.parquet is not the file that was written",
        "gone": "2026-04.parquet is missing",
        "no manifest": "has no manifest.json",
        "another format": "of a format that this version does not know",
    }
    with pytest.raises(LakeRefused, match=words[harm]):
        LakeStudy(lake)


def _cut(file, other):
    file.write_bytes(file.read_bytes()[:-7])


def _emptied(file, other):
    file.write_bytes(b"")


def _swapped(file, other):
    first, second = file.read_bytes(), other.read_bytes()
    file.write_bytes(second)
    other.write_bytes(first)


def _renamed(file, other):
    file.rename(file.with_suffix(".old"))


def _replaced(file, other):
    """By a good file of another month: only its bytes tell."""
    copy = file.with_suffix(".new")
    copy.write_bytes(other.read_bytes())
    copy.replace(file)


HARMS = (_cut, _emptied, _swapped, _renamed, _replaced)


def _files(lake):
    return sorted(file for file in lake.rglob("*.parquet"))


def _harm_at(source, moment, harm):
    """Before this question to the files, counted from nought."""
    real, asked = source._reading, itertools.count()

    @contextmanager
    def reading():
        if next(asked) == moment:
            harm()
        with real():
            yield

    source._reading = reading


@pytest.mark.nightly(
    "each file harmed at each question; a byte, a missing file and one moment are above"
)
def test_a_lake_that_is_harmed_while_it_is_read_gives_the_same_digits_or_a_sentence(lake, capsys):
    """Before the report, and before each question that it asks of the files."""
    kept = {file: file.read_bytes() for file in [*_files(lake), lake / "manifest.json"]}
    options = Options(resamples=2)
    expected = body_of(LakeStudy(lake), options)
    tries, refused, the_same = 0, 0, 0
    for harm in HARMS:
        for moment in (0, 1, 3, 7, 15):
            for number, file in enumerate(_files(lake)):
                source = LakeStudy(lake)
                other = sorted(kept)[number - 1]
                _harm_at(source, moment, partial(harm, file, other))
                tries += 1
                try:
                    assert body_of(source, options) == expected
                    the_same += 1
                except LakeRefused as refusal:
                    assert refusal.message
                    refused += 1
                for path in lake.rglob("*.old"):
                    path.unlink()
                for path, content in kept.items():
                    path.write_bytes(content)
    with capsys.disabled():
        print(
            f"\n{tries} times harmed while read: {refused} refused, {the_same} with the same digits"
        )
    assert refused > 0.8 * tries


@pytest.mark.parametrize("kind", [OSError, pyarrow.ArrowInvalid, duckdb.Error])
@pytest.mark.parametrize("words", ["Invalid data\nand more of it", ""])
def test_a_part_that_cannot_be_read_is_refused_with_the_words_of_the_reader(lake, kind, words):
    class Harmed:
        def read_next_batch(self):
            raise kind(words)

    told = words.splitlines()[0] if words else kind.__name__
    with pytest.raises(LakeRefused, match=rf"cannot be read: {told}\.$"):
        LakeStudy(lake)._next_part(Harmed())


def test_a_file_that_is_exchanged_while_it_is_read_is_noticed(lake):
    source = LakeStudy(lake)
    first, second = lake / "answers/2026-03.parquet", lake / "answers/2026-04.parquet"
    _replaced(first, second)
    with pytest.raises(LakeRefused, match="2026-03.parquet changed while it was read"):
        body_of(source)


ODD = (None, True, -1, 1e300, "", "../x", [], {}, [{}], 2**62)


def parts_of(value, at=()):
    """Where each part of a value stands."""
    names = (
        value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    )
    for name in names:
        yield (*at, name)
        yield from parts_of(value[name], (*at, name))


def put(whole, at, part):
    """Another value there; nothing where `part` is `put`."""
    for name in at[:-1]:
        whole = whole[name]
    if part is put:
        del whole[at[-1]]
    else:
        whole[at[-1]] = part


def test_every_part_of_a_manifest_may_be_anything_else(lake):
    """It is refused, or a report is made with all that was taken."""
    path, free = lake / "manifest.json", set()
    whole = json.loads(path.read_text())
    taken = json.loads(path.read_text())
    for at in reversed(list(parts_of(whole))):
        for odd in (*ODD, put):
            harmed = json.loads(json.dumps(whole))
            put(harmed, at, odd)
            path.write_text(json.dumps(harmed))
            try:
                checked_files(lake)
            except LakeRefused as refusal:
                assert "manifest" in refusal.message or "hash" in refusal.message
            else:
                free.add(at[-1])
                if odd is not put and at[-1] not in ("judges", "drawn_unequally"):
                    put(taken, at, odd)
    path.write_text(json.dumps(taken))
    assert body_of(LakeStudy(lake), Options(resamples=2))
    assert not free & {"format", "sha256"}


# A bit may make a number one of the NaNs that signal.
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("table", ["answers/2026-04", "scores/0", "generators"])
def test_a_flipped_byte_under_a_right_hash_is_refused_or_reported(lake, table):
    draw, path, file = random.Random(table), lake / "manifest.json", lake / f"{table}.parquet"
    whole, content, before = path.read_text(), file.read_bytes(), sha256(file)
    for _ in range(int(os.environ.get("FLIPS", "3"))):
        harmed = bytearray(content)
        harmed[draw.randrange(len(harmed))] ^= 1 << draw.randrange(8)
        file.write_bytes(harmed)
        path.write_text(whole.replace(before, sha256(file)))
        with suppress(LakeRefused):
            json.dumps(body_of(LakeStudy(lake), Options(resamples=2)), allow_nan=False)


@pytest.mark.parametrize(
    ("table", "column", "value", "words"),
    [
        ("scores/0", "value", 1e200, r"a number beyond 1e\+100"),
        ("generators", "release_date", 2**30, "a day of no calendar"),
    ],
)
def test_what_no_report_can_be_made_of_is_refused(lake, table, column, value, words):
    file, path = lake / f"{table}.parquet", lake / "manifest.json"
    before, rows = sha256(file), parquet.read_table(file)
    place = rows.schema.get_field_index(column)
    cells = pyarrow.array([value] * len(rows), "int32" if column == "release_date" else None)
    cells = cells.cast(rows.schema.field(column).type)
    parquet.write_table(rows.set_column(place, column, cells), file)
    path.write_text(path.read_text().replace(before, sha256(file)))
    with pytest.raises(LakeRefused, match=words):
        body_of(LakeStudy(lake))


def test_what_a_lake_does_not_hold_is_refused(study, lake):
    with pytest.raises(LakeRefused, match="what the owner decided"):
        LakeStudy(lake).pair("aligned", decided=True)
    manifest = json.loads((lake / "manifest.json").read_text())
    (lake / "manifest.json").write_text(json.dumps({**manifest, "drawn_unequally": True}))
    with pytest.raises(LakeRefused, match="unequal chances"):
        LakeStudy(lake)


def test_a_file_that_cannot_be_written_leaves_the_old_lake_whole(study, lake, monkeypatch):
    before = checked_files(lake)[0]
    (lake / "answers").chmod(0o500)
    monkeypatch.setattr("audit.series.lake_files.Batches.add_rows", _full)
    with pytest.raises(WriteRefused, match="cannot be written: No space left"):
        write_study(study, lake.parent)
    (lake / "answers").chmod(0o700)
    assert checked_files(lake)[0] == before
    assert not list(lake.rglob("*.part"))


def _full(self, rows):
    raise OSError(28, "No space left on device")


def test_both_commands(study, tmp_path, capsys):
    call_command("export_lake", str(tmp_path / "lake"), "audited", "--pseudonyms", "nobody")
    assert "857 rows in 9 files, 9 of them new or changed." in capsys.readouterr().out
    for source in ([], ["--lake", str(tmp_path / "lake")]):
        call_command("report", "audited", "--json", "--resamples", "100", *source)
    of_database, of_lake = capsys.readouterr().out.splitlines()
    assert json.loads(of_lake) == json.loads(of_database)
    with pytest.raises(CommandError, match=r"has no manifest\.json"):
        call_command("report", "other", "--lake", str(tmp_path / "lake"))

"""A source in, everything out, and in again."""

import csv
import io
import json
import zipfile

import pyarrow
import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from pyarrow import parquet

from annotations.errors import ImportRefused
from annotations.models import Image, Membership, PromptPicture, Study
from annotations.names import clean_name
from audit.set_scores.official import scores_of_everybody
from judges.exports import scores as score_export
from judges.exports import study_folder
from judges.intake import bring_in as intake_bring_in
from judges.intake import imported_scores
from judges.models import Judge, Run, Score
from jurybox_formats.prompt_grammar.parse import parse
from jurybox_formats.registry import FORMATS, Source
from tests import making, needs
from tests.formats.sets import edit_grades
from tests.formats.sets.edit_layouts import LAYOUTS
from tests.formats.sets.prompt_sets import small
from tests.formats.sets.reading import written
from tests.formats.sets.test_official_sets import PIG, TIFA, dsg, rating
from tests.leaves import collect
from tests.test_bad_files import GENEVAL

pytestmark = pytest.mark.django_db
EXAMPLES = collect("EXAMPLES", "tests/formats")

IMAGES = """image_id,prompt_id,prompt,generator,tags,atomicity,file
a1,p1,a red dog,sd,color;animal,2,one.png
b1,p1,a red dog,mj,color;animal,2,
b2,p2,two cats,mj,count,1,
"""
LABELS = """image_id,rater,question,value
a1,ann,aligned,1
a1,ben,aligned,yes
b1,ann,aligned,0
b1,ann,mood,4
"""
SCORES = """image_id,judge,score,correct,error
a1,clip,0.8,1,
b1,clip,,,timeout
"""


@pytest.fixture
def tidy(tmp_path):
    folder = written(tmp_path / "tidy", images_csv=IMAGES, labels_csv=LABELS, scores_csv=SCORES)
    (folder / "one.png").write_bytes(making.png())
    return folder


def bring_in(path, slug="s", format="tidy", **more):
    known = {"images", "generator", "generators", "judge", "atoms", "questions", "columns"}
    source = Source(path, **{k: v for k, v in more.items() if k in known})
    rest = {k: v for k, v in more.items() if k not in known}
    return intake_bring_in.import_study(slug=slug, format=format, source=source, **rest)


def test_a_folder_of_tables_becomes_a_study(tidy):
    outcome = bring_in(tidy)
    counts = outcome.as_json()
    assert {
        k: counts[k] for k in ("prompts", "images", "generators", "annotations", "answers")
    } == {
        "prompts": 2,
        "images": 3,
        "generators": 2,
        "annotations": 3,
        "answers": 4,
    }
    assert (outcome.scores, outcome.rejected) == (2, [])
    study = Study.objects.get(slug="s")
    assert study.form.slug == "geneval-audit"
    assert study.images.get(key="a1").width == 16
    assert "prompt p2 has no image by sd" in outcome.missing


def test_everything_missing_is_counted_and_the_first_are_named(tidy, monkeypatch):
    monkeypatch.setattr("annotations.imports.outcome.NAMED", 1)
    outcome = bring_in(tidy)
    # p2 has no image by sd, b2 no score by clip.
    said = outcome.as_json()
    assert (len(said["missing"]), said["missing_in_all"]) == (1, 2)
    assert "Missing (2):" in outcome.as_text()


def test_the_scale_of_an_unknown_question_is_said(tidy):
    words = [w for w in bring_in(tidy).warnings if "mood" in w]
    assert words == [
        "Question “mood”: not one of the form's; its scale was inferred as a rating from 1 to 5."
    ]


def test_an_empty_score_with_an_error_is_a_failed_judgement(tidy):
    bring_in(tidy)
    run = Run.objects.get()
    assert (run.state, run.expected, run.judge.engine) == ("finished", 3, "imported")
    said = dict(Score.objects.values_list("image__key", "value"))
    assert said == {"a1": 0.8, "b1": None}
    assert Score.objects.get(image__key="b1").error == "timeout"


def test_everything_twice_changes_nothing_and_says_so(tidy):
    first = bring_in(tidy)
    again = bring_in(tidy)
    assert (first.unchanged, again.changes, again.rejected) == (0, 0, [])
    # 2 generators, 2 prompts, 3 images, 4 answers, 2 scores
    assert again.unchanged == 13


def test_a_dry_run_reports_the_same_and_writes_nothing(tidy, media):
    outcome = bring_in(tidy, dry_run=True)
    assert (outcome.images, outcome.answers, outcome.scores) == (3, 4, 2)
    assert outcome.as_json()["dry_run"] is True
    assert (Study.objects.count(), Judge.objects.count()) == (0, 0)
    assert not media.exists()


def test_an_interrupted_import_is_completed_by_the_next(tidy):
    half = tidy.parent / "half"
    written(half, images_csv="".join(IMAGES.splitlines(keepends=True)[:3]).replace("one.png", ""))
    bring_in(half)
    outcome = bring_in(tidy)
    # The image that was known by name only has its file now.
    assert outcome.images == 2
    assert Image.objects.get(key="a1").file != ""
    assert bring_in(tidy).changes == 0


def test_what_contradicts_the_study_is_refused(tidy):
    bring_in(tidy)
    (tidy / "one.png").write_bytes(making.png((1, 2, 3)))
    written(tidy, scores_csv="image_id,judge,score\na1,clip,0.1\n")
    outcome = bring_in(tidy)
    assert [(r["field"], r["value"]) for r in outcome.rejected] == [("file", "a1"), ("score", 0.1)]
    assert outcome.changes == 0


def test_prompts_without_atoms_get_those_that_their_words_name(tidy):
    bring_in(tidy, atoms=parse)
    prompt = Study.objects.get(slug="s").prompts.get(key="p2")
    assert [a.question for a in prompt.atoms.all()] == [
        "Are there any cats in the image?",
        "How many cats are in the image?",
    ]


def test_generators_get_their_dates_from_a_table_of_their_own(tidy):
    table = written(tidy.parent, g_csv="generator,release_date\nsd,2022-08-22\n") / "g.csv"
    bring_in(tidy, generators=table)
    assert str(Study.objects.get().generators.get(name="sd").release_date) == "2022-08-22"


def test_the_commands_take_archives_of_what_they_read(tmp_path, capsys):
    with zipfile.ZipFile(tmp_path / "edits.zip", "w") as archive:
        for name in ("source", "flux", "qwen"):
            archive.writestr(f"{name}/cup.png", making.png())
        archive.writestr("source/cup.txt", "Make it red")
    call_command("import_study", "edits", str(tmp_path / "edits.zip"), format="edits")
    assert sorted(Image.objects.values_list("key", flat=True)) == ["flux/cup.png", "qwen/cup.png"]
    assert PromptPicture.objects.get().place == "source"
    with zipfile.ZipFile(tmp_path / "scores.zip", "w") as archive:
        archive.writestr("scores.csv", "image_id,score\nflux/cup.png,0.5\n")
    call_command("import_scores", "edits", str(tmp_path / "scores.zip"), judge="vlm-0")
    assert Score.objects.get().value == 0.5
    (tmp_path / "bad.zip").write_bytes(b"PK")
    with pytest.raises(CommandError, match="bad.zip is neither a zip nor a tar"):
        call_command("import_study", "bad", str(tmp_path / "bad.zip"), format="edits")


def test_the_judge_that_is_named_gave_the_scores_that_name_none(tidy, tmp_path):
    making.study()
    study = Study.objects.get()
    table = written(tmp_path, s_csv="image_id,score\nearly-0,0.5\nlate-0,0.25\n") / "s.csv"
    with pytest.raises(ImportRefused, match="no column “judge”"):
        intake_bring_in.import_scores(study=study, source=Source(table))
    given = Source(table, judge="vlm-0")
    assert intake_bring_in.import_scores(study=study, source=given).scores == 2
    written(tmp_path, s_csv="image_id,judge,score\nearly-1,,0.5\nlate-1,clip,0.75\n")
    outcome = intake_bring_in.import_scores(study=study, source=given)
    assert outcome.scores == 2
    values = Score.objects.values_list("run__judge__name", "image__key", "value")
    assert sorted(values) == [
        ("clip", "late-1", 0.75),
        ("vlm-0", "early-0", 0.5),
        ("vlm-0", "early-1", 0.5),
        ("vlm-0", "late-0", 0.25),
    ]
    outcome = intake_bring_in.import_scores(study=study, source=Source(table))
    assert [(r["field"], r["line"]) for r in outcome.rejected] == [("judge", 2)]
    written(tidy, scores_csv="image_id,score\na1,0.5\n")
    assert bring_in(tidy, judge="vlm-0").scores == 1


def test_scores_of_atoms_alone_make_no_score_of_the_image(tmp_path):
    making.study()
    file = written(tmp_path, s_csv="image_id,judge,score,atom\nearly-0,vqa,0.5,0\n") / "s.csv"
    outcome = intake_bring_in.import_scores(study=Study.objects.get(), source=Source(file))
    assert outcome.scores == 1
    assert (
        Score.objects.get().error
        == "Only scores of single atoms were given, none of the whole image."
    )
    written(tmp_path, s_csv="image_id,judge,score,atom\nearly-0,vqa,0.7,\n")
    intake_bring_in.import_scores(study=Study.objects.get(), source=Source(file))
    assert Score.objects.get().value == 0.7
    assert Score.objects.get().atoms.get().value == 0.5


def test_images_without_a_score_are_named(tidy):
    assert "image b2 has no score by clip" in bring_in(tidy).missing


SETS = {
    "geneval": ("geneval", {"evaluation_metadata_jsonl": [GENEVAL]}),
    "geneval2": ("geneval2", {"a_jsonl": [PIG], "s_json": [[0.5, 1, 0.25, 1, 1]]}),
    "genai_bench": ("genai_bench", {"genai_image_json": rating(sd=[3, 4, 5], mj=[1, 1, 2])}),
    "t2i_compbench": ("t2i_compbench", {"color_val_txt": "a red cup\r\n=a blue cup"}),
    "m3t2ibench": (
        "m3t2ibench",
        {
            "a_json": {
                "total_number": 1,
                "categories": {"cup": [{"id": 1, "color": "red"}]},
                "relations": [],
                "prompt": "A cup.",
            }
        },
    ),
    "dsg": ("dsg", {"q_csv": dsg((1, 0, "entity"), (2, 1, "attribute"))}),
    "tifa": ("tifa", {"q_json": TIFA, "imgs_json": {"t1": "t1.jpg"}}),
    **{name: (name, {}) for name in small.FILES},
    "table": (
        "table",
        {"a_csv": "path,caption,model,rating\n1.png,a cup,sd,4\n2.png,a dog,sd,5\n"},
    ),
    "potato": (
        "potato",
        {
            "items_jsonl": [{"id": "a", "prompt": "a cat", "image": "a.png"}],
            "annotations_jsonl": [
                {"instance_id": "a", "user_id": "ann", "labels": {"fit": {"Yes": "Yes"}}}
            ],
        },
    ),
    "coco": (
        "coco",
        {
            "captions_json": {
                "images": [{"id": 1, "file_name": "a.png"}],
                "annotations": [{"id": 1, "image_id": 1, "caption": "a cat"}],
            }
        },
    ),
    "vqa": (
        "vqa",
        {
            "questions_json": {
                "questions": [{"question_id": 1, "image_id": "a.png", "question": "A cat?"}]
            },
            "answers_json": {"annotations": [{"question_id": 1, "answers": [{"answer": "yes"}]}]},
        },
    ),
    "hf": ("hf", {"metadata_jsonl": [{"file_name": "1.png", "text": "a cup", "rating": 4}]}),
}


def round_trip(slug, folder):
    """Out as tidy tables, in again as another study: both have the same digest."""
    study = Study.objects.get(slug=slug)
    about = study_folder.write_study(study, folder, people="nobody", files=True)
    outcome = bring_in(folder, slug=f"{slug}-again")
    assert outcome.rejected == []
    again = Study.objects.get(slug=f"{slug}-again")
    assert score_export.digest(again) == score_export.digest(study) == about["signature"]["study"]
    return study, again


def test_every_format_makes_the_round():
    """Tidy tables, bare pictures and edits have tests of their own, below."""
    known = {format for format, _ in SETS.values()} | LAYOUTS.keys() | EXAMPLES.keys()
    assert known | {"tidy", "pictures", "edits"} == FORMATS.keys()


def test_a_folder_of_edits_makes_the_round_with_its_sources(tmp_path):
    folder = written(tmp_path / "in", instructions_csv="name,instruction\ncup,Make it red\n")
    for place in ("source", "sd"):
        (folder / place).mkdir()
        (folder / place / "cup.png").write_bytes(making.png())
    assert bring_in(folder, format="edits").prompt_pictures == 1
    study, again = round_trip("s", tmp_path / "out")
    assert again.prompt_pictures.count() == study.prompt_pictures.count() == 1
    assert study.form.slug == "edit"


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_set_of_edits_makes_the_round_with_its_pictures(name, tmp_path):
    make, prompts, pictures = LAYOUTS[name]
    make(tmp_path / "in")
    assert bring_in(tmp_path / "in", format=name).prompt_pictures == pictures
    study, again = round_trip("s", tmp_path / "out")
    for one in (study, again):
        assert (one.prompts.count(), one.images.count()) == (prompts, 2 * prompts)
        assert one.prompt_pictures.count() == pictures
    places = [set(one.prompt_pictures.values_list("place", "sha256")) for one in (study, again)]
    assert places[0] == places[1]
    assert study.form.slug == name


def write_example(name, folder):
    if name in EXAMPLES:
        return EXAMPLES[name].write(folder)
    return small.write(folder, name) if name in small.FILES else written(folder, **SETS[name][1])


@pytest.mark.parametrize("name", [*SETS, *EXAMPLES])
def test_in_out_and_in_again_is_the_same_study(name, tmp_path):
    source = write_example(name, tmp_path / "in")
    format = SETS[name][0] if name in SETS else name
    assert bring_in(source, format=format, generator="sd").changes > 0
    study, again = round_trip("s", tmp_path / "out")
    assert again.prompts.count() == study.prompts.count() > 0


def as_rows(name, content):
    if name.endswith(".csv"):
        return list(csv.DictReader(io.StringIO(content, newline="")))
    if name.endswith(".jsonl"):
        return [json.loads(line) for line in content.splitlines()]
    return json.loads(content) if name.endswith(".json") else content.strip()


@pytest.mark.parametrize("name", small.FILES)
def test_a_set_goes_out_in_its_own_files_with_every_column(name, tmp_path):
    bring_in(small.write(tmp_path / "in", name), format=name)
    call_command("export", "s", "prompts", "--format", "official", "--out", str(tmp_path / "o.zip"))
    with zipfile.ZipFile(tmp_path / "o.zip") as archive:
        written = {file: archive.read(file).decode() for file in archive.namelist()}
    assert {file: as_rows(file, text) for file, text in written.items()} == {
        file: as_rows(file, text) for file, text in small.FILES[name].items()
    }


@pytest.mark.parametrize("name", ["imgedit", "kris", "rise"])
def test_a_set_of_edits_goes_out_in_its_own_files_with_every_column(name, tmp_path):
    LAYOUTS[name][0](tmp_path / "in")
    came = {
        path.relative_to(tmp_path / "in").as_posix(): json.loads(path.read_text())
        for path in (tmp_path / "in").rglob("*.json")
    }
    for content in came.values():
        first = content[0] if isinstance(content, list) else next(iter(content.values()))
        first["mine"] = ["kept", 1]
    for file, content in came.items():
        (tmp_path / "in" / file).write_text(json.dumps(content))
    bring_in(tmp_path / "in", format=name)
    call_command("export", "s", "prompts", "--format", "official", "--out", str(tmp_path / "o.zip"))
    with zipfile.ZipFile(tmp_path / "o.zip") as archive:
        told = {file: json.loads(archive.read(file)) for file in archive.namelist()}
    assert told == came


def test_a_set_with_pictures_in_its_table_goes_out_as_such_a_table(tmp_path):
    LAYOUTS["gedit"][0](tmp_path / "in")
    came = tmp_path / "in" / "data" / "train-0.parquet"
    table = parquet.read_table(came)
    rows = [
        row | {"mine": number, "input_image": {"bytes": making.png((number, 9, 9)), "path": None}}
        for number, row in enumerate(table.to_pylist())
    ]
    rows[1]["mine"] = None
    parquet.write_table(pyarrow.Table.from_pylist(rows), came)
    bring_in(tmp_path / "in", format="gedit")
    call_command("export", "s", "prompts", "--format", "official", "--out", str(tmp_path / "o.zip"))
    with zipfile.ZipFile(tmp_path / "o.zip") as archive:
        assert archive.namelist() == ["data/train-0.parquet"]
        archive.extractall(tmp_path / "out")
    told = parquet.read_table(tmp_path / "out" / "data" / "train-0.parquet").to_pylist()
    plain = [{**row, "input_image": None} for row in rows]
    assert [{**row, "input_image": None} for row in told] == plain
    bring_in(tmp_path / "out", slug="again", format="gedit")
    first, again = (
        list(
            PromptPicture.objects.filter(study__slug=slug)
            .order_by("prompt__key")
            .values_list("prompt__key", "prompt__text", "prompt__metadata", "sha256")
        )
        for slug in ("s", "again")
    )
    assert first == again and len({row[-1] for row in first}) == len(rows)


def test_a_table_whose_values_do_not_go_together_is_refused(tmp_path):
    LAYOUTS["gedit"][0](tmp_path / "in")
    bring_in(tmp_path / "in", format="gedit")
    prompt = Study.objects.get(slug="s").prompts.first()
    prompt.metadata["rows"][0]["row"]["key"] = 7
    prompt.save()
    with pytest.raises(CommandError, match="not what its files hold"):
        call_command(
            "export", "s", "prompts", "--format", "official", "--out", str(tmp_path / "o.zip")
        )


def test_results_come_in_alone_where_the_study_has_their_prompts(tmp_path):
    bring_in(small.write(tmp_path / "in", "wise"), format="wise")
    results = written(tmp_path / "flux", scores_jsonl=[{"prompt_id": 1, "score": 0.5}])
    bring_in(results, format="wise", generator="flux")
    score = Score.objects.get(run__study__slug="s")
    assert (score.image.prompt.key, score.image.generator.name, score.value) == ("1", "flux", 0.5)
    prompts = Study.objects.get(slug="s").prompts
    assert prompts.count() == 2
    # What no reader made is passed over, and the sentence says what is wanted.
    prompts.update(metadata={"benchmark": "wise", "rows": [7, {"row": {"prompt_id": 1}}]})
    with pytest.raises(ImportRefused, match="not its prompts"):
        bring_in(results, format="wise", generator="flux")


def test_a_study_of_no_set_has_no_files_of_a_set(study, tmp_path):
    with pytest.raises(CommandError, match="came from no set"):
        call_command(
            "export", "shapes", "prompts", "--format", "official", "--out", str(tmp_path / "o.zip")
        )


def test_results_go_out_as_the_script_writes_them_and_come_in_again(tmp_path):
    rows = json.loads(json.dumps(small.CORE))
    for row in rows.values():
        for point in row["Checklist"]:
            point["score"] = 1
    rows["C-MI-001"]["Checklist"][1]["score"] = 0
    folder = small.write(tmp_path / "in", "corebench")
    (folder / "flux").mkdir()
    (folder / "flux" / "C-MI-qwen.json").write_text(json.dumps(rows))
    bring_in(folder, format="corebench")
    out = tmp_path / "o.zip"
    call_command("export", "s", "scores", "--format", "official", "--of", "qwen", "--out", str(out))
    with zipfile.ZipFile(out) as archive:
        assert archive.namelist() == ["flux/C-MI-qwen.json"]
        told = json.loads(archive.read("flux/C-MI-qwen.json"))
    # (1 + 0) / 2 and 1 / 1, then the mean of the images.
    assert (told["C-MI-001"].pop("image_score"), told["C-MI-002"].pop("image_score")) == (0.5, 1.0)
    assert told.pop("mean_score") == 0.75
    assert told == rows


def test_results_of_a_set_of_full_size_go_out(tmp_path):
    """More parts than a condition of SQLite may have."""
    points = [{"question": f"Is {n} there?", "tags": [], "score": n % 2} for n in range(30)]
    rows = {
        f"C-MI-{n:03d}": {**small.CORE["C-MI-002"], "Prompt": f"{n} cats", "Checklist": points}
        for n in range(40)
    }
    folder = written(tmp_path / "in", **{"C-MI-qwen_json": rows})
    bring_in(folder, format="corebench", generator="flux")
    out = tmp_path / "o.zip"
    call_command("export", "s", "scores", "--format", "official", "--out", str(out))
    with zipfile.ZipFile(out) as archive:
        (name,) = archive.namelist()
        told = json.loads(archive.read(name))
    assert sum(len(row["Checklist"]) for key, row in told.items() if key in rows) == 1200
    study = Study.objects.get(slug="s")
    (source,) = scores_of_everybody(study, slips=(), edition="")["sources"]
    assert source["generators"][0]["figures"][0]["value"] == 0.5


TIIF_ANSWERS = {
    "attribute": "color",
    "desc": "long_description",
    "jsonl_file": "color_eval_prompts.jsonl",
    "line_idx": 0,
    "questions": ["Is it red?", "Is it blue?"],
    "gt_answers": ["yes", "no"],
    "model_pred": ["yes", "yes"],
    "model_output": "Yes\nYes",
}
# Where it lies, what it holds, and what it is called when it goes out.
RESULTS = {
    "longtext": (
        "flux/r.jsonl",
        small.lines(
            {
                "image": "out/flux/0000_1.png",
                "prompt": "A sign",
                "ocr_gt": ["OPEN", "9 to 5"],
                "ocr_results": "open 9 to",
                "mine": 3,
            }
        ),
        "flux/en/results_longtext.jsonl",
    ),
    "cvtg": (
        "flux/r.jsonl",
        small.lines(
            {
                "image": "flux/CVTG/2/0.png",
                "prompt": "A sign '2'",
                "correct_words": 1,
                "total_words": 2,
                "ned_word_data": [1.0, 0.5],
                "clipscore": 0.7,
                "mine": "kept",
            }
        ),
        "flux/results_cvtg.jsonl",
    ),
    "oneig": (
        "results/alignment_prompt_score_EN_2025.csv",
        ",flux\nhuman_000,0.625\n",
        "flux/alignment_prompt_score_EN_oneig-alignment.csv",
    ),
    "tiif": (
        "eval_results/flux/color/long/0.json",
        json.dumps(TIIF_ANSWERS),
        "tiif/flux/color/long/0.json",
    ),
}


@pytest.mark.parametrize("name", RESULTS)
def test_what_a_script_wrote_goes_out_again_with_every_column(name, tmp_path):
    came, content, called = RESULTS[name]
    folder = small.write(tmp_path / "in", name)
    (folder / came).parent.mkdir(parents=True, exist_ok=True)
    (folder / came).write_text(content)
    assert bring_in(folder, format=name).rejected == []
    judge = {"oneig": "oneig-alignment"}.get(name, name)
    out = tmp_path / "o.zip"
    call_command("export", "s", "scores", "--format", "official", "--of", judge, "--out", str(out))
    with zipfile.ZipFile(out) as archive:
        told = as_rows(called, archive.read(called).decode())
    wanted = as_rows(came, content)
    if name in ("longtext", "cvtg"):
        # Pictures lie where they lie; all else is as it came.
        assert told[0].pop("image").endswith(wanted[0].pop("image").rpartition("/")[2])
    assert told == wanted


def test_columns_are_kept_where_parts_and_whole_come_in_different_batches(tmp_path, monkeypatch):
    monkeypatch.setattr(imported_scores, "AT_ONCE", 1)
    came, content, _ = RESULTS["tiif"]
    folder = small.write(tmp_path, "tiif")
    (folder / came).parent.mkdir(parents=True)
    (folder / came).write_text(content)
    bring_in(folder, format="tiif")
    assert Score.objects.get().evidence == {"columns": {"model_output": "Yes\nYes"}}


@pytest.mark.parametrize("name", ["dpg", "wise", "unigenbench", *RESULTS])
def test_results_of_other_sets_make_the_round(name, tmp_path):
    came = {
        "dpg": ("r.txt", "flux/0.png, 0.5, 1.0, 0.0, 0.5, 0.5\n"),
        "wise": ("flux/a.jsonl", '{"prompt_id": 1, "score": 1}\n'),
        "unigenbench": (
            "flux_en.csv",
            small.table(
                {
                    "index": 0,
                    "testpoint": "[]",
                    "result_json": '{"score": [1, 0]}',
                    "img_path": "flux/0_2.png",
                }
            ),
        ),
        **{other: case[:2] for other, case in RESULTS.items()},
    }[name]
    folder = small.write(tmp_path / "in", name)
    (folder / came[0]).parent.mkdir(parents=True, exist_ok=True)
    (folder / came[0]).write_text(came[1])
    bring_in(folder, format=name)
    out = tmp_path / "o.zip"
    judge = {"oneig": "oneig-alignment"}.get(name, name)
    call_command("export", "s", "scores", "--format", "official", "--of", judge, "--out", str(out))
    again = small.write(tmp_path / "again", name)
    with zipfile.ZipFile(out) as archive:
        archive.extractall(again)
    bring_in(again, slug="again", format=name)
    values = [
        sorted(
            Score.objects.filter(run__study__slug=slug, run__judge__name=judge).values_list(
                "image__key", "value"
            )
        )
        for slug in ("s", "again")
    ]
    assert values[0] == values[1] != []


# What a grade file is called when it goes out.
GRADES_OUT = {
    "gedit": ("gpt4o", "flux/flux_color_alter_all_vie_score_gpt4o.csv"),
    "imgedit": ("imgedit", "flux/result_imgedit.json"),
    "kris": ("kris", "flux/physics/metrics_kris.json"),
    "rise": ("rise", "flux/flux_judge_rise.csv"),
}


@pytest.mark.parametrize("name", GRADES_OUT)
def test_grades_of_edits_go_out_as_their_script_writes_them(name, tmp_path):
    judge, called = GRADES_OUT[name]
    LAYOUTS[name][0](tmp_path / "in")
    file = edit_grades.write(tmp_path / "in", name)
    assert bring_in(tmp_path / "in", format=name).rejected == []
    out = tmp_path / "o.zip"
    call_command("export", "s", "scores", "--format", "official", "--of", judge, "--out", str(out))
    with zipfile.ZipFile(out) as archive:
        told = as_rows(called, archive.read(called).decode())
    wanted = as_rows(file, edit_grades.FILES[name][1])
    if name == "imgedit":
        del wanted["673"]  # It was not graded.
    if name == "rise":
        wanted = wanted[:1]
    if name == "gedit":
        for row in wanted + told:
            assert row.pop("edited_image").endswith("k0.png")
    assert told == wanted


def test_any_column_may_be_kept_as_metadata_of_the_prompt(tmp_path):
    table = "caption,model,path,rule,level\na cup,sd,1.png,short,3\na cup,mj,2.png,short,3\n"
    file = written(tmp_path, a_csv=table + "a cup,mj,3.png,long,3\n") / "a.csv"
    outcome = bring_in(file, format="table", columns={"rule": "metadata", "level": "metadata"})
    assert [(r["field"], r["value"]) for r in outcome.rejected] == [("rule", "long")]
    (found,) = Study.objects.get(slug="s").prompts.all()
    assert found.metadata == {"rule": "short", "level": "3"}


def test_a_tidy_study_with_pictures_survives_the_round(tidy, tmp_path):
    bring_in(tidy)
    study, again = round_trip("s", tmp_path / "out")
    assert again.images.exclude(file="").count() == 1
    assert score_export.digest(study) != score_export.digest(making.study())


def test_bare_pictures_survive_the_round(tmp_path):
    for name in ("sdxl/a red cup.png", "flux/a red cup.png"):
        (tmp_path / "in" / name).parent.mkdir(parents=True)
        (tmp_path / "in" / name).write_bytes(making.png())
    bring_in(tmp_path / "in", format="pictures")
    study, again = round_trip("s", tmp_path / "out")
    assert again.images.exclude(file="").count() == study.images.count() == 2


@pytest.mark.parametrize(
    ("question", "values", "name", "kind"),
    [
        ("quality", "1 3 5", "quality", [1, 2, 3, 4, 5]),
        ("aligned", "red blue green", "aligned", "text"),
        ("likert", "0 70 100", "likert", "number"),
        ("atom", "1 4 5", "atom", [1, 2, 3, 4, 5]),
        ("mood", "0 1 1", "mood", [1, 0]),
        ("likert", "2 4 5", "likert", [1, 2, 3, 4, 5]),
        ("warmth", "0.5 0.25 1", "warmth", "number"),
        ("remark", "nice odd fine", "remark", "text"),
    ],
)
def test_a_new_study_asks_what_its_labels_contain(tmp_path, question, values, name, kind):
    rows = [f"a1,r{n},{question},{value}" for n, value in enumerate(values.split())]
    labels = "image_id,rater,question,value\n" + "\n".join(rows) + "\n"
    folder = written(tmp_path / "in", images_csv=IMAGES.replace("one.png", ""), labels_csv=labels)
    outcome = bring_in(folder)
    assert (outcome.rejected, outcome.answers) == ([], 3)
    asked = {q["name"]: q for q in Study.objects.get().form.questions}[name]
    choices = [choice["value"] for choice in asked["choices"]]
    assert kind in (choices, asked.get("kind"))


def test_what_a_person_says_of_a_question_counts(tmp_path):
    labels = "image_id,rater,question,value\na1,ann,mood,1\n"
    folder = written(tmp_path / "in", images_csv=IMAGES.replace("one.png", ""), labels_csv=labels)
    bring_in(folder, questions={"mood": "1-5"})
    question = Study.objects.get().form.questions[0]
    assert [choice["value"] for choice in question["choices"]] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("question", ["quality", "aligned", "likert", "atom"])
def test_a_name_that_papers_use_is_what_the_importer_calls_it(tmp_path, question):
    labels = f"image_id,rater,question,value\na1,ann,{question},1\nb1,ann,{question},1\n"
    folder = written(tmp_path / "in", images_csv=IMAGES.replace("one.png", ""), labels_csv=labels)
    bring_in(folder, questions={question: "1-5"})
    asked = {q["name"]: q for q in Study.objects.get().form.questions}
    assert [choice["value"] for choice in asked[question]["choices"]] == [1, 2, 3, 4, 5]


def test_the_audits_two_questions_with_a_rating_among_them_are_the_files_own(tmp_path):
    labels = "image_id,rater,question,value\n" + "".join(
        f"{image},ann,aligned,{yes}\n{image},ann,quality,{rating}\n{image},ann,mood,{rating}\n"
        for image, yes, rating in (("a1", 1, 5), ("b1", 0, 3))
    )
    folder = written(tmp_path / "in", images_csv=IMAGES.replace("one.png", ""), labels_csv=labels)
    outcome = bring_in(folder)
    assert (outcome.rejected, outcome.answers) == ([], 6)
    assert [q["name"] for q in Study.objects.get().form.questions] == ["aligned", "quality", "mood"]


def test_a_slip_among_usual_answers_is_refused_with_its_line_beside_the_form_too(tmp_path):
    rows = [f"a1,r{n},likert,{n % 5 + 1}\na1,r{n},aligned,1\n" for n in range(20)]
    labels = "image_id,rater,question,value\n" + "".join(rows) + "b1,ann,likert,55\n"
    folder = written(tmp_path / "in", images_csv=IMAGES.replace("one.png", ""), labels_csv=labels)
    outcome = bring_in(folder)
    assert outcome.answers == 40
    assert [(r["line"], r["value"]) for r in outcome.rejected] == [(42, 55.0)]
    assert "whole number from 1 to 5" in outcome.rejected[0]["reason"]


def test_no_study_takes_the_address_of_a_page(tidy):
    with pytest.raises(ImportRefused, match="a page of Jurybox has this address"):
        bring_in(tidy, slug="new")


@pytest.mark.parametrize(
    ("format", "path"),
    [
        ("geneval", "geneval/sample_run"),
        ("geneval", "geneval/annotations_clip.csv"),
        ("geneval2", "geneval2/geneval2_data.jsonl"),
        ("genai_bench", "genaibench/genai_image_sample.json"),
        ("t2i_compbench", "t2i_compbench/dataset/color_val.txt"),
        ("m3t2ibench", "m3t2ibench/example_record_UNOFFICIAL.json"),
        ("tifa", "tifa"),
        ("dsg", "dsg/dsg-1k-anns.csv"),
    ],
)
def test_the_official_files_survive_the_round(format, path, tmp_path):
    bring_in(needs.shared(path), format=format, generator="sd")
    round_trip("s", tmp_path / "out")


def test_a_digest_sees_a_single_changed_answer(tidy, tmp_path):
    bring_in(tidy)
    before = score_export.digest(Study.objects.get())
    Study.objects.get().annotations.first().answers.update(value=0.5)
    assert score_export.digest(Study.objects.get()) != before


def test_geneval_s_own_results_come_out_as_they_went_in(tmp_path):
    path = needs.shared("geneval/sample_run/results.jsonl")
    bring_in(path, format="geneval", generator="sd")
    out = tmp_path / "results.jsonl"
    call_command(
        "export_scores", "s", format="geneval", judge="geneval", out=out, stderr=io.StringIO()
    )
    given = {row["filename"]: row for row in map(json.loads, path.read_text().splitlines())}
    found = {row["filename"]: row for row in map(json.loads, out.read_text().splitlines())}
    assert found.keys() == given.keys()
    for name, row in found.items():
        for field in ("tag", "prompt", "correct", "reason"):
            assert row[field] == given[name][field]
        for field in ("metadata", "details"):
            assert json.loads(row[field]) == json.loads(given[name][field])


def test_genai_bench_s_ratings_come_out_as_they_went_in(tmp_path):
    ratings = rating(sd=[3, 4, 5], mj=[1, 1, 2])
    bring_in(written(tmp_path, a_json=ratings) / "a.json", format="genai_bench")
    out = tmp_path / "out.json"
    call_command("export_labels", "s", format="genai_bench", out=out, stderr=io.StringIO())
    assert json.loads(out.read_text()) == ratings


def test_t2i_compbench_s_results_come_out_as_they_went_in(tmp_path):
    place = written(tmp_path, color_val_txt="a red cup")
    results = [{"question_id": 0, "answer": "0.7110"}, {"question_id": 1, "answer": "0.9217"}]
    written(tmp_path / "made" / "annotation_blip", vqa_result_json=results)
    bring_in(
        place / "color_val.txt", format="t2i_compbench", images=tmp_path / "made", generator="g"
    )
    out = tmp_path / "out.json"
    call_command(
        "export_scores",
        "s",
        format="t2i_compbench",
        judge="blip-vqa",
        out=out,
        stderr=io.StringIO(),
    )
    assert json.loads(out.read_text()) == results


def test_every_export_has_a_sidecar_with_signature_counts_and_what_is_missing(tidy, tmp_path):
    bring_in(tidy)
    out = tmp_path / "labels.csv"
    call_command("export_labels", "s", out=out, stderr=io.StringIO())
    about = json.loads((tmp_path / "labels.csv.README.json").read_text())
    assert about["counts"] == {"rows": 4}
    assert about["missing"] == {"images_without_labels": 1, "image_ids": ["b2"]}
    assert about["signature"]["form"] == "geneval-audit v1"
    assert len(about["signature"]["sha256"]) == 64


def test_people_are_called_by_pseudonyms_unless_asked_otherwise(study, bob, tmp_path):
    making.label(bob)
    making.labels(study, {"early-0": {"ann": 1}})

    def raters(**options):
        out = tmp_path / "labels.csv"
        call_command("export_labels", "shapes", out=out, stderr=io.StringIO(), **options)
        with out.open(newline="") as file:
            return {row["rater"] for row in csv.DictReader(file)}

    hidden = raters()
    assert len(hidden) == 2
    assert not hidden & {"ann", "bob"}
    assert raters() == hidden
    assert raters(pseudonyms="nobody") == {"ann", "bob"}
    assert "ann" in raters(pseudonyms="accounts")
    assert "bob" not in raters(pseudonyms="accounts")


def test_labels_under_pseudonyms_come_back_to_the_people_who_gave_them(study, bob, tmp_path):
    making.label(bob)
    making.labels(study, {"early-0": {"ann": 1}})
    out = tmp_path / "labels.csv"
    call_command("export_labels", "shapes", out=out, stderr=io.StringIO())
    people = Membership.objects.count()
    outcome = intake_bring_in.import_labels(study=study, source=Source(out))
    assert (outcome.changes, outcome.rejected) == (0, [])
    assert Membership.objects.count() == people


def test_a_study_that_went_out_under_pseudonyms_and_in_again_goes_out_the_same(tidy, tmp_path):
    bring_in(tidy)
    first = study_folder.write_study(Study.objects.get(slug="s"), tmp_path / "out", files=True)
    assert "ann" not in (tmp_path / "out" / "labels.csv").read_text()
    assert bring_in(tmp_path / "out", slug="again").rejected == []
    again = Study.objects.get(slug="again")
    second = study_folder.write_study(again, tmp_path / "out-again", files=True)
    assert second["signature"] == first["signature"]


def test_what_stands_in_two_tables_is_counted_once(tidy):
    written(tidy, generators_csv="generator,release_date\nsd,2022-08-22\nmj,\n")
    first = bring_in(tidy)
    assert (first.generators, first.unchanged) == (2, 0)
    assert bring_in(tidy).unchanged == 13
    written(tidy, generators_csv="generator,release_date\nsd,2022-08-22\nmj,2023-03-15\n")
    later = bring_in(tidy)
    # One generator has its date now; 1 generator, 2 prompts, 3 images, 4 answers, 2 scores have not
    # changed.
    assert (later.generators, later.unchanged) == (1, 12)


@pytest.mark.parametrize(
    "name", ["=1+1", "+x", "-x", "@x", "'=x", "''@", "'", "plain", "\tx", "＝x"]
)
def test_a_name_that_a_spreadsheet_would_run_comes_back_as_it_was(study, tmp_path, name):
    making.labels(study, {"early-0": {name: 1}})
    out = tmp_path / "labels.csv"
    call_command("export_labels", "shapes", out=out, pseudonyms="nobody", stderr=io.StringIO())
    with out.open(newline="", encoding="utf-8") as file:
        cell = next(csv.DictReader(file))["rater"]
    assert not cell.startswith(("=", "+", "-", "@", "\t", "＝"))
    other = making.study("other")
    intake_bring_in.import_labels(study=other, source=Source(out))
    # As one spelling.
    assert Membership.objects.get(study=other).name == clean_name(name)


def test_consensus_rows_say_why_nobody_can_tell(study, tmp_path):
    making.labels(study, {"early-0": {"a": 1, "b": 1, "c": 0}, "late-0": {"a": 1, "b": 0}})
    out = tmp_path / "c.csv"
    call_command("export_labels", "shapes", out=out, consensus="majority", stderr=io.StringIO())
    with out.open(newline="") as file:
        rows = [
            (r["image_id"], r["value"], r["raters"], r["undecided"]) for r in csv.DictReader(file)
        ]
    assert rows == [
        ("early-0", "1", "3", ""),
        ("late-0", "", "2", "as many people say one thing as another"),
    ]


def test_parquet_holds_the_rows_of_the_csv(study, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    making.labels(study, {"early-0": {"a": 1, "b": 0}})
    out = tmp_path / "labels.parquet"
    call_command(
        "export_labels",
        "shapes",
        format="parquet",
        out=out,
        pseudonyms="nobody",
        stderr=io.StringIO(),
    )
    rows = parquet.read_table(out).to_pylist()
    assert [(r["image_id"], r["rater"], r["value"], r["atom"]) for r in rows] == [
        ("early-0", "a", 1.0, None),
        ("early-0", "b", 0.0, None),
    ]


def test_label_studio_gets_a_task_per_image(study, tmp_path):
    making.labels(study, {"early-0": {"a": 1, "b": 0}, "late-1": {"a": 1}})
    out = tmp_path / "tasks.json"
    call_command(
        "export_labels",
        "shapes",
        format="label_studio",
        out=out,
        pseudonyms="nobody",
        stderr=io.StringIO(),
    )
    tasks = json.loads(out.read_text())
    assert [len(task["annotations"]) for task in tasks] == [2, 1]
    assert tasks[0]["data"]["prompt"] == "a red circle, number 0"
    assert tasks[0]["annotations"][1]["result"][0]["value"] == {"choices": ["No"]}


def test_the_commands_print_one_object_and_end_with_their_status(tidy, tmp_path):
    out = io.StringIO()
    call_command(
        "import_study", "s", str(tidy / "images.csv"), format="tidy", json=True, stdout=out
    )
    assert json.loads(out.getvalue())["images"] == 3
    written(tmp_path, bad_csv="image_id,rater,question,value\nx,ann,aligned,1\n")
    out = io.StringIO()
    with pytest.raises(CommandError, match="1 rows were refused"):
        call_command(
            "import_labels", "s", str(tmp_path / "bad.csv"), strict=True, json=True, stdout=out
        )
    assert json.loads(out.getvalue())["rejected"] == [
        {
            "line": 2,
            "field": "image_id",
            "value": "x",
            "reason": "The study has no such image.",
            "file": "bad.csv",
        }
    ]
    with pytest.raises(CommandError, match="no study “nowhere”"):
        call_command("import_scores", "nowhere", str(tidy / "scores.csv"))
    with pytest.raises(CommandError, match="There is no file"):
        call_command("import_labels", "s", str(tidy / "nothing.csv"))


def test_made_prompts_are_brought_in_by_the_reader_of_their_benchmark(tmp_path):
    for name, suffix in (
        ("geneval", "jsonl"),
        ("geneval2", "jsonl"),
        ("m3t2ibench", "jsonl"),
        ("t2i_compbench", "txt"),
    ):
        out = tmp_path / f"{name}.{suffix}"
        call_command("make_prompts", name, seed=3, count=40, out=out, stderr=io.StringIO())
        outcome = bring_in(out, slug=name.replace("_", "-"), format=name)
        assert (outcome.prompts, outcome.rejected) == (40, [])


def test_tidy_labels_and_scores_without_pictures_make_a_report(tmp_path):
    """The whole way that somebody goes who has only tables."""
    from audit.reports import make as reports

    images = ["image_id,prompt_id,prompt,generator"]
    labels, scores = ["image_id,rater,question,value"], ["image_id,judge,score,correct"]
    for n in range(12):
        images.append(f"i{n},p{n % 6},prompt {n % 6},{'sd' if n < 6 else 'mj'}")
        labels += [f"i{n},{rater},aligned,{n % 2}" for rater in ("a", "b", "c")]
        scores.append(f"i{n},clip,{n % 2 * 0.5 + n / 100},{n % 2}")
    folder = written(
        tmp_path,
        images_csv="\n".join(images),
        labels_csv="\n".join(labels),
        scores_csv="\n".join(scores),
    )
    bring_in(folder / "images.csv")
    study = Study.objects.get()
    intake_bring_in.import_labels(study=study, source=Source(folder / "labels.csv"))
    intake_bring_in.import_scores(study=study, source=Source(folder / "scores.csv"))
    body = reports.make_report(study=study, options=reports.Options(resamples=200)).body
    assert body["judges"]["clip"]["overall"]["n"] == 12
    # Every verdict agrees with every person.
    assert body["judges"]["clip"]["overall"]["percent_agreement"]["value"] == 1.0


def test_what_an_imported_judge_said_is_part_of_a_report_s_signature(tmp_path):
    from annotations.versions import raise_labels_version
    from audit.reports import make as reports

    study = making.study()
    making.labels(study, {"early-0": {"ann": 1}, "late-0": {"ann": 0}})
    file = written(tmp_path, s_csv="image_id,judge,score\nearly-0,vqa,0.5\n") / "s.csv"
    intake_bring_in.import_scores(study=study, source=Source(file))
    before = reports.make_report(study=study).body["signature"]
    Score.objects.update(value=0.6)
    raise_labels_version(study.pk)
    after = reports.make_report(study=study).body["signature"]
    assert before["judges"] == after["judges"]
    assert before["data"] != after["data"]


def test_judges_of_one_file_are_numbered_in_its_order(study, tmp_path):
    """Their colours and markers follow; sets of names have another order in every process."""
    names = [f"judge-{letter}" for letter in "hcfadgbe"]
    image = study.images.order_by("pk").first().key
    file = tmp_path / "scores.csv"
    file.write_text("image_id,judge,score\n" + "".join(f"{image},{name},0.5\n" for name in names))
    intake_bring_in.import_scores(study=study, source=Source(file))
    assert [run.judge.name for run in study.runs.order_by("pk")] == names


def test_a_study_whose_file_has_its_own_quality_is_labelled_and_its_form_saved(client, tmp_path):
    labels = "image_id,rater,question,value\na1,ann,quality,4\nb1,ann,quality,2\n"
    folder = written(tmp_path / "in", images_csv=IMAGES.replace("one.png", ""), labels_csv=labels)
    bring_in(folder, questions={"quality": "1-5"})
    study = Study.objects.get()
    client.force_login(making.person(study, "alice", role="owner").user)
    assert client.get(reverse("label", args=[study.slug])).status_code == 200
    address = reverse("form-edit", args=[study.slug])
    page = client.get(address, {"tab": "words"})
    text = page.context["text"].replace("Quality", "How good is it?")
    answer = client.post(address, {"definition": text, "use": "1"})
    assert answer.status_code == 302, answer.context["wrong"]
    study.refresh_from_db()
    (question,) = study.form.questions
    assert question["text"] == "How good is it?" and len(question["choices"]) == 5

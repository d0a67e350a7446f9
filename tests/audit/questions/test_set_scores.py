"""A set's own score of each generator, from people's answers and from each judge, through every door."""

import json

import pytest
from django.core.management import CommandError, call_command

from annotations.errors import Refused
from annotations.imports import write_study
from annotations.imports.outcome import Outcome
from annotations.models import Study
from annotations.stored_answers.question import NONE
from audit.questions.people_by_generator.question import people_by_generator
from audit.questions.set_scores.exhibits import EXHIBITS
from audit.questions.set_scores.question import Parameters, editions, set_scores
from judges.intake.bring_in import import_study
from jurybox_formats.registry import Source
from jurybox_formats.sources.records import LabelRecord
from jurybox_stats.people.imagenhub import QUESTIONS
from tests import making
from tests.audit.paper_tables.test_imagenhub import FILES, PRINTED, study_of
from tests.formats.sets import edit_grades
from tests.formats.sets.edit_layouts import LAYOUTS
from tests.formats.sets.prompt_sets import small

pytestmark = pytest.mark.django_db


def made(tmp_path, name, **files):
    folder = small.write(tmp_path, name)
    for file, content in files.items():
        file = file.replace("__", "/").replace("_json", ".json").replace("_txt", ".txt")
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(content)
    import_study(slug="s", format=name, source=Source(folder))
    return Study.objects.get(slug="s")


def answer(study, *given):
    outcome = Outcome()
    records = [
        LabelRecord(image, rater, question, value, atom)
        for image, rater, question, value, atom in given
    ]
    write_study.import_records(study=study, records=records, outcome=outcome)
    assert outcome.rejected == []


def told(study, who, **parameters):
    body = set_scores(study, Parameters(**parameters))
    (source,) = [one for one in body["sources"] if one["name"] == who]
    return {
        one["generator"]: {figure["name"]: figure.get("value") for figure in one["figures"]}
        for one in source["generators"]
    }


def test_people_and_each_judge_have_the_score_of_dpg(tmp_path):
    study = made(tmp_path, "dpg", r_txt="flux/0.png, 0.5, 0.5\nsd/0.png, 1.0, 1.0\n")
    # Two say no of the cup: its color counts 0, though all see it. As many say no as yes: no score.
    answer(
        study,
        *[
            ("flux/0", rater, "atom", value, 0)
            for rater, value in (("ann", 0), ("ben", 0), ("cy", 1))
        ],
        *[("flux/0", rater, "atom", 1, 1) for rater in ("ann", "ben", "cy")],
        *[("sd/0", rater, "atom", value, 0) for rater, value in (("ann", 0), ("ben", 1))],
        *[("sd/0", rater, "atom", 1, 1) for rater in ("ann", "ben")],
    )
    assert told(study, "people")["flux"]["DPG-Bench score"] == 0
    assert told(study, "dpg") == {"flux": {"DPG-Bench score": 0.5}, "sd": {"DPG-Bench score": 1.0}}
    body = set_scores(study, Parameters())
    assert [one["name"] for one in body["sources"]] == ["people", "dpg"]
    assert EXHIBITS.sentences(body)[1].endswith("DPG-Bench score: sd 1.000, flux 0.500.")
    first = EXHIBITS.tables(body)[1].rows[0]
    assert [number["value"] for number in first.numbers] == [0.5, 1.0]


def test_an_image_that_people_cannot_agree_on_has_no_score_and_is_counted(tmp_path):
    study = made(
        tmp_path,
        "tiif",
        e__flux__color__long__0_json=json.dumps(
            {
                "attribute": "color",
                "desc": "long_description",
                "line_idx": 0,
                "model_pred": ["yes", "yes"],
            }
        ),
    )
    image = "flux/color/0/long"
    # “Is it blue?” should be answered no.
    answer(study, (image, "ann", "atom", 1, 0), (image, "ann", "atom", 1, 1))
    assert told(study, "people") == {"flux": {"all images": 0.5, "color": 0.5}}
    assert told(study, "tiif") == {"flux": {"all images": 0.5, "color": 0.5}}
    answer(study, (image, "ben", "atom", 0, 0), (image, "ben", "atom", 0, 1))
    body = set_scores(study, Parameters())
    assert [one["name"] for one in body["sources"]] == ["tiif"]


def test_wise_is_told_in_both_editions(tmp_path):
    rows = [
        {"prompt_id": n, "consistency": 2, "realism": 1, "aesthetic_quality": 0} for n in (1, 2)
    ]
    folder = small.write(tmp_path, "wise")
    (folder / "flux").mkdir()
    (folder / "flux" / "a.jsonl").write_text(small.lines(*rows))
    import_study(slug="s", format="wise", source=Source(folder))
    study = Study.objects.get(slug="s")
    answer(
        study,
        *[
            ("flux/1", "ann", name, value, None)
            for name, value in (
                ("correct", 1),
                ("consistency", 1),
                ("realism", 2),
                ("aesthetic_quality", 2),
            )
        ],
    )
    # (.7 × 2 + .2 × 1) / 2, and (.7 + .4 + .2) / 2; without the other categories there is no WiScore.
    assert told(study, "wise", edition="legacy")["flux"]["CULTURE"] == pytest.approx(0.8)
    assert told(study, "people", edition="legacy")["flux"]["CULTURE"] == pytest.approx(0.65)
    assert told(study, "people")["flux"]["CULTURE"] == 1
    assert told(study, "people")["flux"]["WiScore"] is None
    assert editions(study, {}) == {"verified": "verified edition", "legacy": "legacy edition"}
    with pytest.raises(Refused, match="no edition of wise"):
        set_scores(study, Parameters(edition="newest"))


EDITS = {
    "gedit": ("gpt4o", {"en: overall": 6.0, "cn: overall": 0.0, "color_alter": 3.0}),
    "imgedit": ("imgedit", {"all edits": pytest.approx(10 / 3), "adjust": pytest.approx(10 / 3)}),
    "kris": ("kris", {"all edits": 3.5, "knowledge": 2.0, "physics": 3.5}),
    # 25 × (4.3 − 1)
    "rise": ("rise", {"all edits: score, %": pytest.approx(82.5), "all edits: accuracy": 0.0}),
}


@pytest.mark.parametrize("name", EDITS)
def test_sets_of_edits_have_the_numbers_of_their_scripts(name, tmp_path, settings):
    settings.MEDIA_ROOT = tmp_path / "media"
    LAYOUTS[name][0](tmp_path / "set")
    edit_grades.write(tmp_path / "set", name)
    import_study(slug="s", format=name, source=Source(tmp_path / "set"))
    judge, wanted = EDITS[name]
    study = Study.objects.get(slug="s")
    found = told(study, judge)["flux"]
    assert {figure: found[figure] for figure in wanted} == wanted
    # Judges of single points are no judges of the set.
    assert [one["name"] for one in set_scores(study, Parameters())["sources"]] == [judge]


def test_people_grade_edits_by_the_form_of_the_set(tmp_path, settings):
    settings.MEDIA_ROOT = tmp_path / "media"
    LAYOUTS["gedit"][0](tmp_path / "set")
    import_study(slug="s", format="gedit", source=Source(tmp_path / "set"))
    study = Study.objects.get(slug="s")
    image = "flux/en/k0"
    answer(
        study,
        *[
            (image, rater, name, value, None)
            for rater, value in (("ann", 3), ("ben", 5))
            for name in ("success", "perceptual_quality")
        ],
        *[(image, rater, "no_over_editing", 9, None) for rater in ("ann", "ben")],
    )
    # Means of 4, 9 and 4: √(min(4, 9) × 4)
    assert told(study, "people")["flux"]["en: overall"] == 4


def test_one_function_answers_page_command_and_api(tmp_path, capsys):
    made(tmp_path, "dpg", r_txt="flux/0.png, 0.5, 0.5\n")
    call_command("answer", "set-scores", "--study", "s", "--json")
    body = json.loads(capsys.readouterr().out)
    call_command("set_scores", "s", "--json")
    one = json.loads(capsys.readouterr().out)
    assert body["sources"][0]["generators"] == one["generators"]
    with pytest.raises(CommandError, match="People have not answered"):
        call_command("set_scores", "s", "--judge", "people")
    with pytest.raises(CommandError, match="no slip of the script of dpg"):
        call_command("answer", "set-scores", "--study", "s", "--set", "as_coded=last")


def test_a_study_of_no_set_or_without_scores_says_so(tmp_path, study):
    with pytest.raises(Refused, match="not those of one set"):
        set_scores(study, Parameters())
    with pytest.raises(Refused, match="Neither people nor a judge"):
        set_scores(made(tmp_path, "wise"), Parameters())
    assert editions(study, {}) == {}


def test_imagenhub_has_the_mean_of_its_raters_means(tmp_path):
    one = [("a", [1, 1], [0, 1]), ("b", [0.5, 0.5], [0, 1])]
    for rater, rows in (("rater1", one), ("rater2", one[:1])):
        lines = [f"{uid}.jpg\t{first}\t{second}\n" for uid, first, second in rows]
        (tmp_path / f"Edit_{rater}.tsv").write_text("uid\tone\ttwo\n" + "".join(lines))
    import_study(slug="s", format="imagenhub", source=Source(tmp_path))
    study = Study.objects.get(slug="s")
    # Of the first rater (1 + .5) / 2, of the second 1; over all answers it would be 2.5 / 3.
    assert told(study, "people") == {
        "one": {"Edit: SC": 0.875, "Edit: PQ": 0.875, "Edit: O": 0.875},
        "two": {"Edit: SC": 0, "Edit: PQ": 1, "Edit: O": 0},
    }
    answers = [
        {"name": "semantic_consistency", "score": 0.5},
        {"name": "perceptual_quality", "score": 1},
    ]
    run = making.scores(study, {"one/a.jpg": 0.7, "two/a.jpg": 0.7}, name="hub-judge")
    making.scores(study, {"one/a.jpg": 0.7}, name="another")
    run.scores.filter(image__key="one/a.jpg").update(evidence={"answers": answers})
    found = set_scores(study, Parameters())["sources"]
    # Whoever gives no grades has no score of this set.
    assert [source["name"] for source in found] == ["people", "hub-judge"]
    assert told(study, "hub-judge")["one"]["Edit: O"] == pytest.approx(0.5**0.5)


@pytest.mark.skipif(not FILES.is_dir(), reason="ImagenHub’s files are not beside the checkout.")
def test_imagenhub_s_printed_scores_and_kappas_come_out_by_generator():
    study = study_of(FILES)
    scores, agree = told(study, "people"), people_by_generator(study, NONE)["questions"]
    compared = 0
    for task, models in json.loads(PRINTED.read_text())["tasks"].items():
        for model, printed in models.items():
            for short, question in QUESTIONS.items():
                assert round(scores[model][f"{task}: {short}"], 2) == printed[short]
                kappa = agree[question]["generators"][model]["fleiss_kappa"].get("value")
                wanted = printed.get(f"fleiss_kappa {short}")
                assert (kappa if kappa is None else round(kappa, 2)) == wanted, (model, short)
                compared += 1
    # Of seven models that draw from a text there are 21, of nine that edit 27.
    assert compared == 48

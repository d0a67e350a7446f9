"""Rapidata's results. The files are what `RapidataResults` of rapidata 3.27.1 writes (`to_json`, and the CSV of
`to_pandas(split_details=True)`) of answers in the fields of its public documents: the service itself costs money."""

import json
from collections import Counter
from pathlib import Path

import pytest
from django.core.management import call_command

from annotations.models import PairVote, Study
from annotations.pairs.take_file import take
from judges.intake import bring_in
from judges.models import Score
from jurybox_formats import guess_format
from jurybox_formats.registry import Source
from jurybox_formats.sources.records import Unreadable
from tests.doors import sample
from tests.formats.example import Example
from tests.formats.sets.reading import Read

ORDER = {
    "info": {"type": "Classification"},
    "results": [
        {
            "originalFileName": "a.png",
            "context": "a cat",
            "privateMetadata": {"image_id": "i1", "question": "fit"},
            "aggregatedResults": {"Yes": 1, "No": 1},
            "summedUserScoresRatios": {"Yes": 0.7, "No": 0.3},
            "detailedResults": [
                {"selectedCategory": "Yes", "userDetails": {"userScores": {"global": 0.5}}}
            ],
        }
    ],
}
EXAMPLES = {
    "rapidata": Example(
        {"a.json": json.dumps(ORDER)},
        {"a.json": '{"info": {"type": "Classification"}}'},
        "it has no list “results”",
    )
}
WRITTEN = Path(__file__).parent / "files" / "rapidata-3.27.1"


@pytest.mark.parametrize("name", ["fit.json", "fit.csv", "stars.json"])
def test_each_response_is_a_label_of_somebody_unknown(name):
    found = Read("rapidata", WRITTEN / f"rapidata-{name}")
    assert found.rejected == []
    results = json.loads((WRITTEN / f"rapidata-{name.split('.')[0]}.json").read_text())["results"]
    assert len(found.labels) == 12
    for result in results:
        key = result["privateMetadata"]["image_id"]
        given = Counter(one.value for one in found.labels if one.image == key)
        assert given == Counter({k: n for k, n in result["aggregatedResults"].items() if n})
    assert {one.rater for one in found.labels} == {"unknown 1", "unknown 2", "unknown 3"}
    assert {one.question for one in found.labels} == {name.split(".")[0]}
    assert "does not say who answered" in found.remarks[0].words
    assert guess_format.guess(WRITTEN / f"rapidata-{name}") == ("rapidata", "study")


@pytest.mark.django_db
def test_answers_to_our_orders_come_back_to_their_images(tmp_path):
    study = sample.study(answered=False)
    folder = sample.unzip(sample.export(study, tmp_path / "r.zip", "images", format="rapidata"))
    order = json.loads((folder / "orders" / "fit.json").read_text())
    assert order["answer_options"] == ["Yes", "No"]
    assert len(order["datapoints"]) == len(order["contexts"]) == 8
    assert order["private_metadata"][0] == {"image_id": "early-0", "question": "fit"}
    assert sorted(file.name for file in (folder / "orders").iterdir()) == ["fit.json", "stars.json"]
    assert len((folder / "datapoints.csv").read_text().splitlines()) == 9
    left = json.loads((folder / "README.json").read_text())["left_out"]
    assert left[:2] == ["seen: not one choice", "count: not one choice"]
    for name in ("fit", "stars"):
        source = Source(WRITTEN / f"rapidata-{name}.json")
        outcome = bring_in.import_labels(study=study, format="rapidata", source=source)
        assert (outcome.rejected, outcome.answers) == ([], 12)
    assert {row[2] for row in sample.rows(study)} == {"fit", "stars"}


@pytest.mark.django_db
@pytest.mark.parametrize("kind", ["json", "csv"])
def test_weighted_votes_are_scores_of_a_judge_that_is_named(kind):
    study = sample.study(answered=False)
    written = WRITTEN / f"rapidata-fit.{kind}"
    call_command(
        "import_scores", study.slug, str(written), format="rapidata", judge="crowd", verbosity=0
    )
    given = {s.image.key: s.value for s in Score.objects.select_related("image")}
    results = json.loads((WRITTEN / "rapidata-fit.json").read_text())["results"]
    # The share of “Yes” by the labelers' scores.
    assert given == {
        r["privateMetadata"]["image_id"]: pytest.approx(r["summedUserScoresRatios"]["Yes"])
        for r in results
    }
    assert {s.run.judge.name for s in Score.objects.all()} == {"crowd-fit"}


def test_options_that_are_no_numbers_have_no_weighted_score():
    found = Read("rapidata", WRITTEN / "rapidata-stars.json", judge="crowd")
    assert found.labels == []
    assert {(s.score, s.error) for s in found.scores} == {
        (None, "Rapidata: the options are no numbers")
    }


@pytest.mark.django_db
def test_comparisons_are_votes_on_pairs():
    taken = take(slug="duel", path=WRITTEN / "rapidata-compare.json", layout="auto")
    assert taken.layout == "Rapidata, comparison" and taken.taken.votes == 4
    given = Counter(PairVote.objects.values_list("value", flat=True))
    assert given == {"first": 2, "second": 1, "both": 1}
    assert sorted(Study.objects.get().images.values_list("key", flat=True)) == [
        "early-0.png",
        "late-0.png",
    ]


def test_a_comparison_among_classifications_says_where_it_belongs():
    (refused,) = Read("rapidata", WRITTEN / "rapidata-compare.json").rejected
    assert "import it as votes on pairs" in refused.reason


def result(name="a.png", **more):
    chosen = [{"selectedCategory": "Yes"}, {"selectedCategory": "No"}]
    return {"originalFileName": name, "context": "a cat", "detailedResults": chosen} | more


def read(folder, *results, old=False, **more):
    whole = {"data": list(results)} if old else list(results)
    (folder / "results.json").write_text(json.dumps({"info": {}, "results": whole}))
    return Read("rapidata", folder / "results.json", **more)


@pytest.mark.parametrize("old", [False, True])
def test_old_results_and_new_ones_are_read(tmp_path, old):
    found = read(tmp_path, result(), result("b.png"), old=old)
    assert [label.image for label in found.labels] == ["a.png", "a.png", "b.png", "b.png"]
    assert [prompt.text for prompt in found.prompts] == ["a cat"]


def test_counts_stand_for_responses_that_were_not_saved(tmp_path):
    bare = {"originalFileName": "a.png", "aggregatedResults": {"Yes": 2, "No": 1}}
    found = read(tmp_path, bare)
    assert [label.value for label in found.labels] == ["Yes", "Yes", "No"]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (result(""), "Neither an image nor an “image_id”"),
        (result(detailedResults="x"), "must be a list"),
        (result(detailedResults=[{"selectedCategory": 1}]), "must be a text"),
        ({"originalFileName": "a.png", "aggregatedResults": {"Yes": -1}}, "is a whole number"),
        ({"originalFileName": "a.png", "aggregatedResults": {"Yes": 10**9}}, "is a whole number"),
        (result("b.png"), "b.png stands twice"),
        ("words", "An object is wanted"),
    ],
)
def test_a_result_that_cannot_be_taken_is_named_and_the_others_are_read(tmp_path, wrong, words):
    found = read(tmp_path, result("b.png"), wrong)
    assert [(row.line, words in row.reason) for row in found.rejected] == [(2, True)]
    assert {label.image for label in found.labels} == {"b.png"}


def test_what_is_no_result_is_refused(tmp_path):
    (tmp_path / "a.json").write_text('{"info": {}}')
    with pytest.raises(Unreadable, match="no list “results”"):
        Read("rapidata", tmp_path / "a.json")
    (tmp_path / "a.json").unlink()
    (tmp_path / "a.csv").write_text("originalFileName,count\na.png,1\n")
    with pytest.raises(Unreadable, match="split_details=True"):
        Read("rapidata", tmp_path / "a.csv")

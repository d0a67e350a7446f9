import json

import pytest
from django.test import TestCase

from annotations.errors import Refused
from annotations.exports.pseudonyms import names_as_written
from annotations.models import Annotation, AnswerJob, Image
from annotations.versions import labels_version, raise_labels_version
from audit import tasks
from audit.charts import judges as judges_chart
from audit.charts.style import rows_of
from audit.models import Report, Webhook
from audit.pages.tables import drift_csv
from audit.reports import freshness
from audit.reports import make as reports
from audit.reports.pairing import pair
from audit.reports.people_agreement import people_of
from audit.view import View
from audit.words import changes
from audit.words import report as report_words
from judges.intake import uploads
from judges.models import Score, Upload
from judges.signals import scores_changed
from tests import making

pytestmark = pytest.mark.django_db

FEW = reports.Options(resamples=200)
# Scripts read these by name; a report may have more.
STATS = {
    *("n", "human_score", "judge_score", "net_deviation", "auroc", "cohen_kappa"),
    *("percent_agreement", "kendall_tau_b", "spearman", "pearson", "pairwise_accuracy"),
    *("pairwise_accuracy_calibrated", "pairwise_accuracy_by_prompt"),
    "pairwise_accuracy_by_prompt_calibrated",
}


def majority_of(study, yes: set[str]) -> None:
    """Three people; two of them say yes to the images in `yes`, and one never does."""
    making.labels(
        study,
        {
            image.key: {"ann": image.key in yes, "ben": image.key in yes, "cat": 0}
            for image in study.images.all()
        },
    )


@pytest.fixture
def judged(study):
    """People: 1 of 4 early images, all 4 late ones. The judge: 2 of 4 early, 1 of 4 late."""
    majority_of(study, {"early-0", "late-0", "late-1", "late-2", "late-3"})
    making.scores(
        study,
        {
            **{"early-0": True, "early-1": True, "early-2": False, "early-3": False},
            **{"late-0": True, "late-1": False, "late-2": False, "late-3": False},
        },
    )
    return study


def body(study, options=FEW):
    return reports.compute(study, options)[0]


def test_human_score_judge_score_and_net_deviation_worked_by_hand(judged):
    found = body(judged)["judges"]["some-judge"]
    early, late = found["by_generator"]["early"], found["by_generator"]["late"]
    # early: people 1/4, judge 2/4; late: people 4/4, judge 1/4
    assert early["human_score"]["value"] == pytest.approx(25)
    assert early["judge_score"]["value"] == pytest.approx(50)
    assert early["net_deviation"]["value"] == pytest.approx(-25)
    assert late["net_deviation"]["value"] == pytest.approx(75)
    # all: (1 + 4)/8 − (2 + 1)/8 = 25 points
    assert found["overall"]["net_deviation"]["value"] == pytest.approx(25)


def test_agreement_with_the_majority_worked_by_hand(judged):
    overall = body(judged)["judges"]["some-judge"]["overall"]
    # Pairs (people, judge): yes/yes early-0, late-0; yes/no late-1..3; no/yes early-1; no/no early-2, -3
    # p_o = (2 + 2)/8 = 0.5; p_e = 5/8·3/8 + 3/8·5/8 = 30/64; kappa = (1/2 − 30/64)/(1 − 30/64) = 2/34
    assert overall["percent_agreement"]["value"] == pytest.approx(0.5)
    assert overall["cohen_kappa"]["value"] == pytest.approx(2 / 34)
    # AUROC: positives 5 (2 at 1, 3 at 0), negatives 3 (1 at 1, 2 at 0):
    # wins 2·2 = 4, ties 2·1 + 3·2 = 8 halves = 4; (4 + 4)/15
    assert overall["auroc"]["value"] == pytest.approx(8 / 15)


def test_every_slice_has_every_statistic(judged):
    found = body(judged)["judges"]["some-judge"]
    assert set(found["overall"]) >= STATS
    for slices in ("by_generator", "by_tag", "by_atomicity", "by_variant"):
        assert found[slices]
        for stats in found[slices].values():
            assert STATS <= set(stats) <= set(found["overall"])
    assert set(found["by_tag"]) == {"colors"}
    assert set(found["by_atomicity"]) == {"2"}
    assert set(found["by_variant"]) == {"original"}


def test_each_number_has_an_interval_or_the_reason_why_there_is_none(judged):
    def leaves(value):
        if isinstance(value, dict) and ("value" in value or "undefined" in value):
            yield value
        elif isinstance(value, dict):
            for child in value.values():
                yield from leaves(child)

    found = list(leaves(body(judged)["judges"])) + list(leaves(body(judged)["people"]))
    assert len(found) > 60
    for estimate in found:
        if "undefined" in estimate:
            assert estimate["undefined"]
            assert "value" not in estimate
        else:
            assert estimate["low"] <= estimate["value"] <= estimate["high"]
            assert estimate["n"] > 0


def test_the_report_is_the_structure_of_the_contract(judged):
    found = body(judged)
    assert {"study", "signature", "people", "generators", "judges", "missing"} <= set(found)
    keys = {"version", "seed", "resamples", "consensus", "judges", "data"}
    assert keys <= set(found["signature"])
    assert found["generators"][0]["name"] == "early"
    assert found["generators"][0]["release_date"] == "2021-01-01"
    assert set(found["people"]["krippendorff_alpha"]) == {"nominal", "ordinal", "interval"}
    drift = found["judges"]["some-judge"]["drift"]
    assert {"slope_points_per_year", "alarm", "reason"} <= set(drift)
    assert found["missing"] == {
        "labels": 0,
        "undecided": 0,
        "scores": {"some-judge": {"absent": 0, "failed": 0}},
        "assumed": {},
        "named": {"labels": [], "scores": {"some-judge": {"absent": [], "failed": []}}},
    }


def test_the_same_data_give_the_same_digits_whatever_the_order_of_the_rows(judged):
    twin = making.study("twin")
    values = {
        image.key: {a.annotator.name: a.answers.get().value for a in image.annotations.all()}
        for image in judged.images.order_by("-pk")
    }
    making.labels(twin, values)
    run = judged.runs.get()
    making.scores(twin, {s.image.key: bool(s.correct) for s in run.scores.order_by("-image__key")})
    # Each study has pseudonyms of its own.
    with names_as_written():
        one, two = body(judged), body(twin)
    assert one["signature"]["data"] == two["signature"]["data"]
    del one["study"], two["study"]
    assert json.dumps(one, sort_keys=True) == json.dumps(two, sort_keys=True)


def test_one_changed_answer_changes_the_signature(judged):
    before = body(judged)["signature"]["data"]
    answer = Annotation.objects.first().answers.get()
    answer.value = 1 - answer.value
    answer.save()
    assert body(judged)["signature"]["data"] != before


def test_a_stored_report_that_lacks_a_newer_statistic_is_still_shown(judged):
    new = body(judged)
    assert new["schema"] == reports.SCHEMA
    old = json.loads(json.dumps(new))
    del old["schema"]
    judge = old["judges"]["some-judge"]
    for stats in (judge["overall"], *judge["by_generator"].values()):
        del stats["auroc"]
    assert "some-judge" in report_words.as_text(old)
    assert changes.tables(old, new) and changes.tables(new, old)
    assert "this report is older than this statistic" in drift_csv(old)
    assert rows_of(old, ["some-judge"], "auroc") == []
    assert judges_chart.rows(old, View(statistic="auroc")) == []


def test_another_seed_moves_no_value_and_with_few_prompts_no_interval_either(db):
    study = making.study(prompts=12)
    majority_of(study, {"early-0", "late-0", "late-1", "late-7", "late-9"})
    making.scores(
        study, {f"{g}-{n}": (n * 7 % 12) / 12 for g in ("early", "late") for n in range(12)}
    )
    one, two = body(study), body(study, reports.Options(resamples=200, seed=5))
    assert "jackknife" in one["signature"]["interval"]
    for key in ("net_deviation", "auroc", "kendall_tau_b"):
        each = [found["judges"]["some-judge"]["overall"][key] for found in (one, two)]
        assert each[0] == each[1]
        assert each[0]["low"] < each[0]["value"] < each[0]["high"]


def test_agreement_that_rests_on_few_prompts_has_a_number_and_the_reason_for_no_interval(db):
    study = making.study(prompts=30)
    majority_of(study, {"early-0", "late-0", "late-1"})
    making.scores(
        study, {f"{g}-{n}": (n * 7 % 30) / 30 for g in ("early", "late") for n in range(30)}
    )
    found = body(study)["judges"]["some-judge"]["overall"]["auroc"]
    assert found["value"] is not None
    assert found["low"] is None is found["high"]
    assert found["no_interval"].startswith("too few to tell: 2 prompts have another answer")


def test_a_failed_judgement_is_missing_and_not_a_zero(study):
    majority_of(study, {"early-0"})
    making.scores(study, {"early-0": True, "early-1": "the file is broken", "early-2": False})
    found = body(study)
    assert found["missing"]["scores"]["some-judge"] == {"absent": 5, "failed": 1}
    stats = found["judges"]["some-judge"]["by_generator"]["early"]
    assert stats["n"] == 2
    # Over the two scored images alone: people 1/2, judge 1/2.
    assert stats["judge_score"]["value"] == pytest.approx(50)
    assert "1 of 8 could not be scored" in " ".join(report_words.missing(found))


def test_answers_that_count_0_since_nobody_told_them_are_said(study):
    majority_of(study, {"early-0"})
    making.scores(study, {"early-0": True, "early-1": False})
    Score.objects.filter(image__key="early-1").update(assumed=3)
    found = body(study)
    assert found["missing"]["assumed"] == {"some-judge": 3}
    words = "3 answers were blank or not among the tokens that its server lists; they count 0"
    assert words in " ".join(report_words.missing(found))


def test_a_draw_between_people_has_no_reference_and_is_said(study):
    making.labels(study, {"early-0": {"ann": 1, "ben": 0}, "early-1": {"ann": 1, "ben": 1}})
    making.scores(study, {"early-0": True, "early-1": True})
    found = body(study)
    assert found["missing"]["labels"] == 6
    assert found["missing"]["undecided"] == 1
    overall = found["judges"]["some-judge"]["overall"]
    # Ranks use the mean over people, so the image in dispute counts there.
    assert overall["n"] == 2
    assert overall["human_score"]["n"] == 1


def test_nobody_has_labelled_yet(study):
    making.scores(study, {"early-0": True})
    found = body(study)
    overall = found["judges"]["some-judge"]["overall"]
    assert all("undefined" in overall[name] for name in STATS - {"n"})
    assert not found["judges"]["some-judge"]["drift"]["alarm"]
    assert report_words.sentences(found) == [
        "Nobody has labelled this study yet, so there is nothing to compare judges with."
    ]


def test_no_judge_has_scored_yet(study):
    majority_of(study, {"early-0"})
    found = body(study)
    assert found["judges"] == {}
    assert report_words.sentences(found) == ["No judge has scored this study yet."]


def test_a_study_with_nothing_at_all_still_has_a_report(study):
    Image.objects.all().delete()
    assert body(study)["people"]["images"] == 0


def test_a_rating_is_graded_by_its_mean_and_counts_as_yes_from_a_stated_one(study):
    ratings = {"early-0": (5, 4), "early-1": (4, 3), "late-0": (1, 2), "late-1": (5, 5)}
    making.labels(
        study, {key: {"ann": a, "ben": b} for key, (a, b) in ratings.items()}, question="likert"
    )
    making.scores(study, {"early-0": 0.9, "early-1": 0.4, "late-0": 0.2, "late-1": 0.8})
    found = body(study, reports.Options(resamples=200, question="likert"))
    overall = found["judges"]["some-judge"]["overall"]
    # Means 4.5, 3.5, 1.5, 5; yes from 4: early-0 and late-1, scores .9 and .8 against .4 and .2
    assert overall["human_score"]["value"] == pytest.approx((4.5 + 3.5 + 1.5 + 5) / 4)
    assert overall["auroc"]["value"] == 1
    assert overall["net_deviation"]["undefined"] == (
        "the judge speaks another scale: its scores lie from 0.2 to 0.9, people answer from 1 to 5"
    )
    assert (found["positive_at"], found["range"], found["in_points"]) == (4, [1, 5], False)
    lower = body(study, reports.Options(resamples=200, question="likert", positive_at=3.5))
    assert "yes from a mean of 3.5" in lower["signature"]["consensus"]
    # Now early-1 (.4) is a yes too; still above the only no (.2).
    assert lower["judges"]["some-judge"]["overall"]["auroc"]["n"] == 4


def test_a_threshold_that_was_given_decides_the_verdicts(study):
    majority_of(study, {"early-0", "late-0"})
    making.scores(study, {f"{g}-{n}": 0.9 - n / 10 for g in ("early", "late") for n in range(4)})
    options = reports.Options(resamples=200, threshold=0.85)
    found = body(study, options)
    assert found["judges"]["some-judge"]["overall"]["percent_agreement"]["value"] == 1
    facts = found["signature"]["judge_facts"]["some-judge"]
    assert facts["threshold"] == {"from": [0.85], "chosen": "given"}


def test_an_unknown_question_and_an_unknown_judge_are_refused_in_words(judged):
    with pytest.raises(Refused, match="Nobody answered a question “mood”. Answered: aligned."):
        body(judged, reports.Options(question="mood"))
    with pytest.raises(Refused, match="“nobody” has no scores"):
        body(judged, reports.Options(judges=("nobody",)))


def test_a_report_on_unchanged_data_is_not_stored_twice(judged):
    first = reports.make_report(study=judged)
    assert reports.make_report(study=judged) == first
    assert Report.objects.count() == 1
    assert first.data == first.body["signature"]["data"]


def test_a_report_on_unchanged_data_computes_no_number(judged, monkeypatch):
    first = reports.make_report(study=judged)
    monkeypatch.setattr(reports, "people_of", None)
    assert reports.make_report(study=judged) == first
    for change in (
        lambda: judged.generators.filter(name="early").update(release_date="2020-05-05"),
        lambda: judged.generators.create(name="newest"),
        lambda: judged.images.update(variant="rewritten"),
        lambda: type(judged).objects.update(simulated=True),
        lambda: judged.runs.update(state="stopped", reason="by hand"),
        lambda: Score.objects.filter(image__key="late-1").update(correct=True, value=1.0),
    ):
        change()
        # As whoever writes images and scores says.
        raise_labels_version(judged.pk)
        judged.refresh_from_db()
        with monkeypatch.context() as here:
            here.setattr(reports, "people_of", people_of)
            assert reports.make_report(study=judged) != first
            first = reports.make_report(study=judged)
        assert reports.make_report(study=judged) == first


def another_image(study):
    prompt, generator = study.prompts.first(), study.generators.first()
    Image.objects.create(study=study, key="more", prompt=prompt, generator=generator, place=0)


def test_an_unchanged_study_is_not_read(judged, monkeypatch):
    """Its stamp and a few rows tell."""
    first = reports.make_report(study=judged)
    monkeypatch.setattr(reports, "Computation", None)
    assert reports.make_report(study=judged) == first
    with pytest.raises(TypeError):
        reports.make_report(study=judged, options=reports.Options(seed=3))
    for change in (
        lambda: making.labels(judged, {"early-0": {"dan": 1}}),
        lambda: judged.generators.filter(name="early").update(release_date="2020-05-05"),
        lambda: judged.memberships.filter(name="cat").update(name="kim"),
        lambda: judged.runs.update(state="stopped", reason="by hand"),
        lambda: judged.runs.update(scored=3),
        lambda: another_image(judged),
        lambda: type(judged).objects.update(simulated=True),
        lambda: monkeypatch.setattr(freshness, "VERSION", "a newer one"),
        lambda: monkeypatch.setattr(reports, "SCHEMA", 99),
    ):
        change()
        judged.refresh_from_db()
        with pytest.raises(TypeError):
            reports.make_report(study=judged)
        Report.objects.update(
            stamp=labels_version(judged.pk), rows=freshness.rows(judged, reports.SCHEMA)
        )
        assert reports.make_report(study=judged) == first


def test_a_report_with_other_options_is_not_the_one_that_everybody_sees(judged):
    everybody = reports.make_report(study=judged)
    reports.make_report(study=judged, options=reports.Options(seed=3))
    assert Report.objects.filter(options={}).get() == everybody
    assert Report.objects.with_usual_options().get() == everybody
    assert not freshness.is_due(study=judged)


def test_a_report_notices_new_labels_and_new_scores(judged):
    report = reports.make_report(study=judged)
    assert report.stamp == labels_version(judged.pk)
    making.labels(judged, {"early-0": {"dan": 1}})
    assert report.stamp != labels_version(judged.pk)
    assert freshness.is_due(study=judged)
    newer = reports.make_report(study=judged)
    assert newer != report
    assert newer.stamp == labels_version(judged.pk)
    assert not freshness.is_due(study=judged)


def test_a_report_waits_for_the_end_of_an_import_and_is_then_asked_for(judged):
    heard = []
    listen = lambda sender, study_id, **more: heard.append(study_id)  # noqa: E731
    scores_changed.connect(listen)
    reports.make_report(study=judged)
    upload = Upload.objects.create(study=judged, payload={"name": "more.csv"}, state="working")
    making.labels(judged, {"early-0": {"dan": 1}})
    assert not freshness.is_due(study=judged)
    upload.state = "done"
    upload.save()
    with TestCase.captureOnCommitCallbacks(execute=True):
        uploads.KIND.ended(upload)
    assert heard == [judged.pk]
    assert freshness.is_due(study=judged)
    # A check alone writes nothing, and no report waits for it.
    Upload.objects.create(study=judged, payload={"dry_run": True}, state="working")
    assert freshness.is_due(study=judged)


def test_a_report_notices_what_moved_no_stamp(judged, monkeypatch):
    for change in (
        # A person whose name was taken out, an import that was killed before it told.
        lambda: judged.memberships.filter(name="cat").update(name="erased-1"),
        lambda: another_image(judged),
    ):
        reports.make_report(study=judged)
        assert not freshness.is_due(study=judged)
        change()
        assert freshness.is_due(study=judged)
    reports.make_report(study=judged)
    # A newer version of the statistics alone is no reason to make the reports of all studies again.
    monkeypatch.setattr(freshness, "VERSION", "a newer one")
    assert not freshness.is_due(study=judged)


def test_few_new_labels_make_no_report_until_somebody_looks_or_a_webhook_waits(
    judged, as_alice, monkeypatch, settings
):
    monkeypatch.setattr(freshness, "MANY", 3)
    reports.make_report(study=judged)
    Report.objects.update(seconds=0)
    requested = AnswerJob.objects.filter(payload__question="report")

    def look_regularly():
        tasks.refresh_reports_task()
        return requested.exists()

    judged.generators.filter(name="early").update(release_date="2020-05-05")
    assert look_regularly()
    requested.delete()
    making.labels(judged, {"early-0": {"dan": 1}})
    assert freshness.is_due(study=judged, patient=True)
    assert not look_regularly()
    making.labels(judged, {"early-1": {"dan": 1}, "early-2": {"dan": 1}})
    assert look_regularly()
    requested.delete()
    monkeypatch.setattr(freshness, "MANY", 9)
    assert not look_regularly()
    as_alice.get("/api/v1/studies/shapes/report/")
    assert requested.exists()
    requested.delete()
    as_alice.get("/studies/shapes/audit/judge/")
    assert requested.exists()
    requested.delete()
    since = Report.objects.first().created_at
    Webhook.objects.create(study=judged, address="https://example.org", salt="a", since=since)
    assert look_regularly()


def test_answers_that_were_set_aside_do_not_count(judged):
    Annotation.objects.filter(annotator__name="cat").update(state=Annotation.State.SET_ASIDE)
    assert body(judged)["people"]["raters"] == 2


def test_pairing_reads_everything_with_a_constant_number_of_queries(
    judged, django_assert_num_queries, django_assert_max_num_queries
):
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as few:
        pair(study=judged, question="aligned")
    outcome_study = making.study("larger", prompts=14)
    majority_of(outcome_study, {"early-0"})
    making.scores(outcome_study, {f"early-{n}": True for n in range(14)})
    with CaptureQueriesContext(connection) as many:
        pair(study=outcome_study, question="aligned")
    assert len(many) == len(few)

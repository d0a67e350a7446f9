"""The demo's judges have cards of their own, and each reads what is planted."""

import pytest

from annotations import jobs
from audit import demo
from audit.questions.card.question import Parameters, card
from audit.tasks import refresh_report_task
from judges.models import Measurement
from judges.runs import score_chunk
from jurybox_judging import registry

pytestmark = pytest.mark.django_db


def number(body, part, words):
    (found,) = (
        row["number"] for row in body["rows"] if row["part"] == part and words in row["what"]
    )
    return found


def measured(study, runs):
    for run in runs:
        score_chunk.work_off(run=run)
    # What a worker does when a run has ended; a second message changes nothing.
    refresh_report_task(study.pk, ended=True)
    refresh_report_task(study.pk, ended=True)
    asked = Measurement.objects.filter(study=study)
    assert asked.count() == len(runs)
    for job in asked:
        jobs.run(job.pk)
    assert [job.reason for job in asked.all()] == [""] * len(runs)
    return {job.judge: card(study, Parameters(job.judge, demo.CARD_IMAGES)) for job in asked.all()}


@pytest.mark.nightly("every judge of the demo; test_card.py measures one from end to end")
def test_the_rule_judges_say_no_to_nothing_and_need_their_picture():
    study = demo.build_demo(prompts=20, generators=3, size=128, seed=7)
    cards = measured(study, demo.start_judges(study))
    assert set(cards) == set(demo.JUDGES)
    body = cards["geneval-builtin"]
    # Nothing is drawn there: rules find nothing to say yes to.
    for nothing in ("empty picture", "grey picture"):
        found = number(body, "dark current", f"{nothing}: says yes")
        assert (found["value"], found["low"]) == (0, 0)
    again = number(body, "repeatability", "again: score moves by")
    assert again["value"] == 0
    removed = number(body, "blind", "picture removed: score moves by")
    assert removed["high"] < 0
    # All of the contrast is gone at the last step: so is the score.
    gain = number(body, "ladder", "ladder of contrast")
    assert gain["low"] > 0


@pytest.mark.nightly("the rule judges' cards go the same way; reading takes minutes")
@pytest.mark.skipif(
    bool(registry.why_not(demo.SIGNS_JUDGES[0])), reason="the reading model is not installed"
)
def test_the_reader_of_signs_needs_letters():
    study = demo.build_signs(prompts=12)
    cards = measured(study, demo.start_readers(study))
    body = cards[demo.SIGNS_JUDGES[0]]
    for nothing in ("empty picture", "grey picture", "noise"):
        assert number(body, "dark current", f"{nothing}: score")["value"] == pytest.approx(
            0, abs=0.05
        )
    # No letter is read any more where all is blurred or faded.
    for ladder in ("blur", "contrast"):
        assert number(body, "ladder", f"ladder of {ladder}")["low"] > 0
    # The sign's words, written above it, are read as if the sign had them.
    assert number(body, "fooling", "prompt written")["value"] >= 0


def test_studies_of_people_are_not_measured_by_themselves():
    study = demo.build_demo(prompts=2, generators=2, size=128, seed=7)
    study.simulated = False
    assert demo.request_measurements(study) == []

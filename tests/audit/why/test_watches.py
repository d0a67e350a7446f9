"""The three watches of a study: they ring on the day that shows it, and name the cause."""

from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import call_command

from annotations.anchors import again, keep
from annotations.forms.versions import publish_form
from annotations.models import Annotation
from annotations.stored_answers.store import compute_answer
from audit.questions.why import exhibits as words
from audit.questions.why.question import WHY, explain, study_called
from audit.why import watches
from audit.why.parameters import Parameters
from judges.models import AnchorScoring
from jurybox_formats.forms.papers import t2i_compbench
from tests import making

pytestmark = pytest.mark.django_db
THEN, NOW = "labelled=..2026-01-31", "labelled=2026-02-01.."
ASKED = Parameters("some-judge", THEN, NOW)


@pytest.fixture
def study(db):
    """Sixty prompts. The early images were answered in January, the late ones in February, all with
    yes, and a person a day later says yes to the early ones again when they are asked again."""
    made = making.study("watched", prompts=60)
    making.labels(made, {f"early-{n}": {"ann": 1} for n in range(60)})
    making.labels(made, {f"late-{n}": {"ann": 1} for n in range(60)})
    making.scores(made, {image.key: 0.9 for image in made.images.all()})
    on(made, "early", datetime(2026, 1, 10, tzinfo=UTC))
    on(made, "late", datetime(2026, 2, 1, tzinfo=UTC), step=timedelta(hours=12))
    return made


def on(study, generator, first, step=timedelta(0)):
    rows = Annotation.objects.filter(study=study, image__generator__name=generator)
    for number, row in enumerate(rows.order_by("pk")):
        Annotation.objects.filter(pk=row.pk).update(submitted_at=first + number * step)


def asked_again(study, value):
    """People answer about 40 anchors once more, ten a day from 1 March on."""
    keys = {f"early-{n}" for n in range(40)}
    anchors = keep.keep(
        study=study,
        images=list(study.images.filter(key__in=keys).order_by("key").values_list("pk", flat=True)),
        of=120,
        seed=0,
    )
    part = again.ask_again(study=study, anchors=anchors).study
    making.labels(part, {key: {"ann": value(int(key[6:]))} for key in sorted(keys)})
    for number, row in enumerate(Annotation.objects.filter(study=part).order_by("pk")):
        day = datetime(2026, 3, 1 + number // 10, tzinfo=UTC)
        Annotation.objects.filter(pk=row.pk).update(submitted_at=day)
    return anchors


def told(study, asked=ASKED):
    return explain(study, asked, find=study_called, resamples=200)


def scored(study, anchors, *moves, day=datetime(2026, 3, 2, tzinfo=UTC)):
    run = study.runs.get()
    keys = [one.image.key for one in anchors.images.select_related("image")]
    for number, move in enumerate(moves):
        scoring = AnchorScoring.objects.create(
            study=study,
            run=run,
            anchors=anchors,
            judge="some-judge",
            state="done",
            scores=[
                {"image": key, "prompt": key[6:], "score": 0.9 + move, "replies": []}
                for key in keys
            ],
        )
        AnchorScoring.objects.filter(pk=scoring.pk).update(
            finished_at=day + number * timedelta(days=1)
        )


def test_people_who_say_otherwise_about_the_same_images_ring(study):
    asked_again(study, lambda number: number % 2)
    body = told(study)
    # Half of forty anchors are no now: −50 points, which thirty of them show on the third day.
    assert body["watches"]["people"]["moved"]["value"] == pytest.approx(-50)
    assert body["watches"]["people"]["rang"] == "2026-03-03"
    assert body["watches"]["gap"]["rang"] is None
    assert body["parts"]["people"]["value"] == pytest.approx(-50)
    said = words.of_watches(body["watches"], watches.of_judge(body))
    assert said[0] == "First alarm: people, on 2026-03-03."
    assert said[3].startswith(
        "People now − then on the same images: alarm on 2026-03-03; by now −50.0"
    )


def test_what_people_say_again_counts_nowhere_in_the_study_itself(study):
    before = told(study, Parameters("some-judge", "early", "late"))
    asked_again(study, lambda number: 0)
    after = told(study, Parameters("some-judge", "early", "late"))
    assert (before["moved"], before["sides"]) == (after["moved"], after["sides"])
    assert before["signature"]["data"] == after["signature"]["data"]


def test_an_anchor_that_was_deleted_since_is_left_out(study):
    asked_again(study, lambda number: number % 2)
    # One of the twenty that people say no to now.
    study.images.get(key="early-0").delete()
    body = told(study)
    assert body["anchors"] == 39
    assert body["parts"]["people"]["value"] == pytest.approx(-100 * 19 / 39)


def test_a_gap_that_moves_while_nothing_else_does_is_in_the_images(study):
    anchors = asked_again(study, lambda number: 1)
    # From the 30th late image on, people say no to all: two a day.
    late = Annotation.objects.filter(study=study, image__generator__name="late").order_by("pk")
    for row in late[10:]:
        row.answers.update(value=0)
    scored(study, anchors, 0.0, 0.0)
    body = told(study)
    # Thirty late images are there on 15 February, twenty of them no.
    assert body["watches"]["gap"]["rang"] == "2026-02-15"
    judge = watches.of_judge(body)
    assert judge["rang"] is None and judge["looks"] == 2
    said = words.of_watches(body["watches"], judge)
    assert said[0] == (
        "Only the gap moved, on 2026-02-15; judge and people say the same of the same images. The "
        "cause is in the images."
    )
    # The late images' answers were given with another form.
    late.update(form=publish_form(t2i_compbench.FORM))
    said = words.of_watches(told(study)["watches"], judge)
    assert said[0].endswith("is in the images or in the form’s words, which are other ones.")


def test_a_judge_that_changes_behind_its_name_rings_at_its_scoring(study):
    anchors = asked_again(study, lambda number: 1)
    scored(study, anchors, 0.0, -0.2, -0.2)
    judge = watches.of_judge(told(study))
    assert judge["rang"] == "2026-03-03"
    assert judge["moved"]["value"] == pytest.approx(-0.2)
    said = words.of_watches(told(study)["watches"], judge)
    assert said[0] == "First alarm: the judge, on 2026-03-03."


def test_without_anchors_it_is_said_that_the_cause_could_not_be_seen(study):
    late = Annotation.objects.filter(study=study, image__generator__name="late")
    for row in late:
        row.answers.update(value=0)
    body = told(study)
    said = words.of_watches(body["watches"], watches.of_judge(body))
    assert said[0] == (
        "The gap has moved since 2026-02-15. Anchors would show whether the judge or people changed."
    )
    assert said[2] == (
        "The judge now − then on anchors: not watched: the judge has not scored anchors again."
    )
    assert said[3].endswith("Ask people about anchors again.")


def test_the_page_and_the_command_say_the_same(study, as_alice, capsys):
    anchors = asked_again(study, lambda number: number % 2)
    scored(study, anchors, 0.0)
    page = as_alice.get(f"/studies/watched/audit/judge/why/?judge=some-judge&from={THEN}&to={NOW}")
    call_command("why", "watched", "--judge", "some-judge", "--from", THEN, "--to", NOW)
    printed = capsys.readouterr().out
    body = told(study)
    for line in words.of_watches(body["watches"], watches.of_judge(body)):
        assert line in page.content.decode()
        assert line in printed
    assert "Alarms" in page.content.decode()


def test_new_answers_of_a_round_make_the_explanation_stale(study):
    asked_again(study, lambda number: 1)
    kept = compute_answer(WHY, study, ASKED)
    assert kept.stamp == WHY.stamp(study, ASKED)
    part = again.rounds_of(study)[0].study
    making.labels(part, {"early-0": {"new": 0}})
    assert kept.stamp != WHY.stamp(study, ASKED)

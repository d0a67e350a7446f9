"""What becomes of personal data so many days after a study has closed: decided, shown, carried out."""

from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.urls import reverse
from django.utils import timezone

from annotations.errors import StudyRefused
from annotations.exports.pseudonyms import naming
from annotations.labelling import record
from annotations.models import (
    Annotation,
    Assignment,
    Deletion,
    Event,
    Flag,
    Membership,
    Retention,
    StoredAnswer,
    Study,
)
from annotations.stored_answers.question import NoParameters
from annotations.stored_answers.store import compute_answer
from annotations.studies import crowd, retention
from annotations.studies import settings as study_settings
from audit.celery import PERIODIC
from audit.questions.agreement.question import AGREEMENT
from audit.tasks import retention_task
from tests import making

pytestmark = pytest.mark.django_db
HTMX = {"HTTP_HX_REQUEST": "true"}


@pytest.fixture
def used(study, alice, bob):
    """A study with answers of everybody: annotators, a crowd's worker, a file, the owner herself."""
    making.person(study, "rita", role="researcher")
    link = crowd.open_to_crowd(study=study, completion_code="C1")
    worker = crowd.enter_from_crowd(
        invitation=link, worker="W42", address="203.0.113.7", chosen_code="ABCD-EFGH"
    )
    making.labels(study, {"early-0": {"ann@lab.example": 1}})
    for person in (alice, bob, worker):
        annotation = making.label(person)
        record.flag(image=annotation.image, annotator=person, reason="other", note="I am Bob")
    return study


def decide(study, rule, days=30):
    retention.set_rule(study=study, rule=rule, days=days)


def close(study):
    study_settings.set_status(study=study, status="closed")


def later(study, **ago):
    """As if both had happened so long ago."""
    then = timezone.now() - timedelta(**ago)
    Retention.objects.filter(study=study).update(closed_at=then, decided_at=then)


def answers(study):
    return sorted(
        Annotation.objects.filter(study=study).values_list("image__key", "answers__value")
    )


def test_nothing_happens_without_a_decision(used):
    close(used)
    Retention.objects.update(closed_at=timezone.now() - timedelta(days=9999))
    before = list(used.memberships.values())
    assert retention.carry_out_due() == 0
    assert list(used.memberships.values()) == before


@pytest.mark.parametrize("rule", ["pseudonymise", "forget"])
def test_names_go_and_answers_stay(used, alice, rule):
    before, exported = answers(used), naming(used)
    named = {m.pk: exported(m.pk) for m in used.memberships.all()}
    decide(used, rule)
    close(used)
    later(used, days=31)
    retention_task()
    assert answers(used) == before
    told = set(used.memberships.filter(user=None).values_list("name", flat=True))
    assert len(told) == 3
    for member in used.memberships.filter(user=None):
        assert (member.worker, member.resume_hash, member.address_hash) == ("", "", "")
        assert (member.session_key, member.invitation, member.removed_account) == ("", None, None)
        if rule == "pseudonymise":
            assert member.name == named[member.pk]
        else:
            assert member.name.startswith("erased-")
    text = str(list(used.memberships.values())) + str(list(get_user_model().objects.values()))
    assert "W42" not in text
    assert "ann@lab" not in text
    assert not get_user_model().objects.filter(username__startswith="worker-").exists()


def test_exports_call_people_as_before(used):
    called = {m.pk: naming(used)(m.pk) for m in used.memberships.all()}
    decide(used, "pseudonymise")
    close(used)
    later(used, days=31)
    retention.carry_out_due()
    assert {m.pk: naming(used)(m.pk) for m in used.memberships.all()} == called


def test_owners_and_researchers_go_on_working_with_the_study(used, alice):
    decide(used, "forget")
    close(used)
    later(used, days=31)
    retention.carry_out_due()
    kept = used.memberships.filter(user__isnull=False).values_list("name", "role")
    assert set(kept) == {("alice", "owner"), ("rita", "researcher")}


def test_free_texts_go_only_where_everything_is_to_be_forgotten(used, alice, bob):
    Assignment.objects.filter(annotator=bob).update(note="bob's own words")
    decide(used, "forget")
    close(used)
    later(used, days=31)
    retention.carry_out_due()
    assert set(Flag.objects.exclude(annotator=alice).values_list("note", flat=True)) == {""}
    assert Flag.objects.get(annotator=alice).note.startswith("I am erased-")
    assert not Assignment.objects.filter(annotator=bob).exclude(note="").exists()


def test_the_stored_table_of_people_goes_with_the_names(used):
    compute_answer(AGREEMENT, used, NoParameters())
    decide(used, "pseudonymise")
    close(used)
    later(used, days=31)
    retention.carry_out_due()
    assert not StoredAnswer.objects.filter(study=used).exists()
    assert "bob" not in compute_answer(AGREEMENT, used, NoParameters()).content


def test_it_is_done_once_and_an_event_says_so(used):
    decide(used, "pseudonymise")
    close(used)
    later(used, days=31)
    assert retention.carry_out_due() == 1
    assert retention.carry_out_due() == 0
    words = Event.objects.filter(study=used, did="retention").latest("pk").words
    assert words == "as decided, took out who 3 people were; their answers stay under pseudonyms"


def test_a_study_is_deleted_by_the_job_that_deletes_studies(used):
    decide(used, "delete")
    close(used)
    later(used, days=31)
    assert retention.carry_out_due() == 1
    assert not Study.objects.filter(pk=used.pk).exists()
    assert Deletion.objects.get().about == used.pk
    assert "30 days after it closed" in Event.objects.filter(did="deleting").get().words
    assert retention.carry_out_due() == 0


@pytest.mark.parametrize("days", [29, 0])
def test_nothing_happens_before_its_day(used, days):
    decide(used, "delete")
    close(used)
    later(used, days=days)
    assert retention.carry_out_due() == 0
    assert Study.objects.filter(pk=used.pk).exists()


def test_a_decision_about_a_study_that_closed_long_ago_waits_a_day(used):
    close(used)
    Retention.objects.update(closed_at=timezone.now() - timedelta(days=400))
    decide(used, "delete", days=1)
    assert retention.carry_out_due() == 0
    due = retention.due_at(retention.study_retention(used))
    assert timedelta(hours=23) < due - timezone.now() < timedelta(hours=25)
    Retention.objects.update(decided_at=timezone.now() - timedelta(days=1))
    assert retention.carry_out_due() == 1


def test_opening_a_study_again_stops_the_clock(used):
    decide(used, "delete")
    close(used)
    later(used, days=31)
    study_settings.set_status(study=used, status="open")
    assert retention.carry_out_due() == 0
    close(used)
    assert retention.carry_out_due() == 0


def test_who_came_after_a_study_was_opened_again_is_forgotten_in_their_turn(used):
    decide(used, "pseudonymise")
    close(used)
    later(used, days=31)
    retention.carry_out_due()
    study_settings.set_status(study=used, status="open")
    making.person(used, "late-comer")
    close(used)
    later(used, days=31)
    assert retention.carry_out_due() == 1
    assert not Membership.objects.filter(name="late-comer").exists()


def test_a_study_that_was_closed_otherwise_is_counted_from_now_on(used):
    decide(used, "delete")
    Study.objects.filter(pk=used.pk).update(status="closed")
    assert retention.carry_out_due() == 0
    assert timezone.now() - retention.study_retention(used).closed_at < timedelta(minutes=5)


def test_workers_look_regularly():
    assert PERIODIC["audit.tasks.retention_task"] <= 3600


# --- The page -----------------------------------------------------------------------------------


def post(client, study, **given):
    return client.post(reverse("retention", args=[study.slug]), given, **HTMX)


def test_it_is_shown_in_words_before_it_is_saved(as_alice, used):
    page = post(as_alice, used, rule="pseudonymise", days="30").content.decode()
    assert "30 days after this study closes" in page
    assert "of 3 people are taken out" in page
    assert "cannot be undone" in page
    assert retention.study_retention(used).rule == "keep"
    saved = post(as_alice, used, rule="pseudonymise", days="30", save="1").content.decode()
    assert "Show what this does" in saved
    assert "retention-plan" not in saved
    rule = retention.study_retention(used)
    assert (rule.rule, rule.days) == ("pseudonymise", 30)
    assert Event.objects.filter(did="retention", by__username="alice").count() == 1
    whole = as_alice.get(reverse("manage", args=[used.slug])).content.decode()
    assert "30 days after it closes" in whole


def test_the_words_name_the_day_and_what_goes_with_a_study(as_alice, used):
    close(used)
    page = post(as_alice, used, rule="delete", days="30").content.decode()
    day = timezone.now() + timedelta(days=30)
    assert f"On {day:%-d %B %Y}, the study is deleted" in page
    assert "8 images" in page
    assert "4 answers" in page


@pytest.mark.parametrize(
    "wrong",
    [{"rule": "burn"}, {"rule": ""}, {"days": "0"}, {"days": "many"}, {"days": "-1"}]
    + [{"days": "999999999999"}],
)
@pytest.mark.parametrize("save", [{}, {"save": "1"}])
def test_what_cannot_be_is_refused_in_words(as_alice, used, wrong, save):
    answer = post(as_alice, used, **{"rule": "delete", "days": "30", **wrong, **save})
    assert answer.status_code == 409
    assert not Retention.objects.filter(study=used).exists()


@pytest.mark.parametrize("role", ["researcher", "annotator"])
def test_only_the_owner_decides(client, used, role):
    client.force_login(making.person(used, "somebody", role=role).user)
    assert post(client, used, rule="delete", days="1", save="1").status_code == 403
    assert not Retention.objects.filter(study=used).exists()


def test_a_rule_without_a_name_is_none(study):
    with pytest.raises(StudyRefused, match="Choose"):
        retention.plan(study=study, rule="burn", days=1)

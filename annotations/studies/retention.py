"""What becomes of a study's personal data so many days after it has closed.

The owner decides; a worker carries it out (`audit.tasks.retention_task`), never sooner than a day
after the decision, so that a slip can be taken back. Opening the study again stops the clock.
Owners and researchers who are in the study keep their places: they go on working with it.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.translation import gettext, ngettext

from annotations import event_log, traces
from annotations.errors import StudyRefused
from annotations.exports.pseudonyms import pseudonym
from annotations.models import Annotation, Membership, Retention, Study
from annotations.stored_answers.question import images_n
from annotations.stored_answers.store import forget_answers
from annotations.studies import deletion
from annotations.studies.crowd import end_session
from annotations.versions import after_commit, raise_labels_version

TO_THINK_AGAIN = timedelta(days=1)
MOST_DAYS = 36_500
Rule = Retention.Rule


@dataclass(frozen=True, slots=True)
class Plan:
    """A rule before it is saved, in words. `due`: None while the study is not closed."""

    rule: str
    days: int
    due: datetime | None
    words: str


def study_retention(study: Study) -> Retention:
    """The study's rule; one that keeps everything if nobody has decided."""
    return Retention.objects.filter(study=study).first() or Retention(study=study)


def due_at(retention: Retention) -> datetime | None:
    """When the rule is carried out; None without a rule, before the study closes, and afterwards."""
    if retention.rule == Rule.KEEP or retention.done_at is not None:
        return None
    if retention.closed_at is None or retention.decided_at is None:
        return None
    due = retention.closed_at + timedelta(days=retention.days)
    return max(due, retention.decided_at + TO_THINK_AGAIN)


def plan(*, study: Study, rule: str, days: int) -> Plan:
    """What this rule will do, with today's numbers, and when."""
    _check(rule, days)
    now = study_retention(study)
    # As if it were saved now.
    drawn = Retention(
        study=study, rule=rule, days=days, closed_at=now.closed_at, decided_at=timezone.now()
    )
    due = due_at(drawn)
    if rule == Rule.KEEP:
        words = gettext("Everything is kept until somebody deletes it.")
        return Plan(rule, days, None, words)
    if due is not None:
        when = gettext("On %(day)s") % {"day": date_format(due, gettext("j F Y"))}
    else:
        when = ngettext(
            "%(days)s day after this study closes", "%(days)s days after this study closes", days
        ) % {"days": days}
    words = gettext("%(when)s, %(deed)s This cannot be undone.")
    return Plan(rule, days, due, words % {"when": when, "deed": _deed(study, rule)})


@transaction.atomic
def set_rule(*, study: Study, rule: str, days: int) -> Retention:
    _check(rule, days)
    retention, _ = Retention.objects.update_or_create(
        study=study,
        defaults={"rule": rule, "days": days, "decided_at": timezone.now(), "done_at": None},
    )
    words = "keeps everything after the study has closed"
    if rule != Rule.KEEP:
        with translation.override("en"):
            words = f"decided for {days} days after the study has closed: {Rule(rule).label}"
    event_log.note(study, "retention", words)
    return retention


def status_changed(study: Study) -> None:
    """In the transaction that opens, pauses or closes the study."""
    closed = timezone.now() if study.status == Study.Status.CLOSED else None
    Retention.objects.update_or_create(study=study, defaults={"closed_at": closed, "done_at": None})


def carry_out_due() -> int:
    """Do what is due in all studies; how many rules were carried out. Doing it twice is once."""
    # Closed otherwise, or before there were rules: its days are counted from now on.
    rules = Retention.objects.exclude(rule=Rule.KEEP).filter(done_at=None, study__deleted_at=None)
    rules.filter(study__status=Study.Status.CLOSED, closed_at=None).update(closed_at=timezone.now())
    now = timezone.now()
    done = 0
    for retention in rules.filter(closed_at__lt=now).order_by("pk"):
        due = due_at(retention)
        if due is not None and due <= now:
            done += _carry_out(retention.pk)
    return done


@transaction.atomic
def _carry_out(pk: int) -> bool:
    rows = Retention.objects.select_for_update(skip_locked=True, of=("self",))
    retention = rows.filter(pk=pk).select_related("study").first()
    due = due_at(retention) if retention is not None else None
    if retention is None or due is None or due > timezone.now():
        return False
    study = retention.study
    if study.status != Study.Status.CLOSED or study.deleted_at is not None:
        return False
    if retention.rule == Rule.DELETE:
        deletion.begin(study=study, reason=f"{retention.days} days after it closed, as decided")
        return True
    people = _take_out_names(study, forget=retention.rule == Rule.FORGET)
    retention.done_at = timezone.now()
    retention.save(update_fields=["done_at"])
    under = "random names" if retention.rule == Rule.FORGET else "pseudonyms"
    words = f"as decided, took out who {people} people were; their answers stay under {under}"
    event_log.note(study, "retention", words)
    return True


def _take_out_names(study: Study, *, forget: bool) -> int:
    traces.overwrite_deleted()
    members = list(_other_members(study).select_related("user"))
    gone = [traces.remember(member, member.user) for member in members]
    taken = set(study.memberships.values_list("name", flat=True))
    accounts = []
    for member in members:
        end_session(member)
        if member.worker and member.user_id:
            # An account that the crowd's link made, for this study alone.
            accounts.append(member.user_id)
        name = pseudonym(study.slug, member.name)
        if forget or (name in taken and name != member.name):
            name = f"erased-{secrets.token_hex(4)}"
        member.take_out_who(name)
        taken.add(name)
    for one, member in zip(gone, members, strict=True):
        one.new = member.name
    Membership.objects.bulk_update(members, Membership.TELLING, batch_size=200)
    get_user_model().objects.filter(pk__in=accounts).delete()
    # A free text may say who they are; an answer does not.
    traces.take_out(study, gone, free_texts=forget)
    transaction.on_commit(traces.empty_log)
    forget_answers(study.pk)
    after_commit(raise_labels_version, study.pk)
    return len(members)


def _other_members(study: Study) -> QuerySet[Membership]:
    """Everybody but owners and researchers who are in the study, and simulated people."""
    staff = Q(user__isnull=False, role__in=[Membership.Role.OWNER, Membership.Role.RESEARCHER])
    return Membership.objects.filter(study=study, simulated=False).exclude(staff).order_by("pk")


def _deed(study: Study, rule: str) -> str:
    if rule == Rule.DELETE:
        answers = Annotation.objects.filter(study=study).count()
        return gettext(
            "the study is deleted with all that belongs to it: %(prompts)s prompts, %(images)s images, "
            "%(answers)s answers, and the scores, reports and events. Export first what you want to keep."
        ) % {
            "prompts": f"{study.prompts.count():,}",
            "images": f"{images_n(study):,}",
            "answers": f"{answers:,}",
        }
    people = _other_members(study).count()
    taken = ngettext(
        "the name, worker number and network address of %(people)s person are taken out, and their account "
        "leaves the study.",
        "the names, worker numbers and network addresses of %(people)s people are taken out, and "
        "their accounts leave the study.",
        people,
    ) % {"people": f"{people:,}"}
    if rule == Rule.FORGET:
        words = gettext(
            "%(taken)s Their answers stay, under random names that nobody can trace; what they wrote "
            "to flags is deleted. Answers in free text stay. Owners and researchers keep their places."
        )
    else:
        words = gettext(
            "%(taken)s Their answers stay, under the pseudonyms that exports use. Answers in free "
            "text stay. Owners and researchers keep their places."
        )
    return words % {"taken": taken}


def _check(rule: str, days: int) -> None:
    if rule not in Rule.values:
        raise StudyRefused("Choose what happens after the study has closed.")
    if not 1 <= days <= MOST_DAYS:
        raise StudyRefused(f"Choose 1 to {MOST_DAYS:,} days.")

"""Checks what a person may see: every page looks up its study, and the person's role, here.

A superuser sees every study as an owner, without being one of its people: no list and no count knows
of it. What needs a place among them, labelling above all, makes one at the first need.
"""

from __future__ import annotations

from functools import cached_property
from typing import TypeVar

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.db.models import Q
from django.http import Http404, HttpRequest
from django.utils.translation import gettext
from django_htmx.middleware import HtmxDetails

from annotations import event_log
from annotations.database.prepared import Prepared
from annotations.errors import NotYours
from annotations.models import ExamplePicture, Image, Membership, PromptPicture, Study
from annotations.models.people import free_name

Shown = TypeVar("Shown", Image, ExamplePicture, PromptPicture)
PLACE = Prepared(
    lambda mark: (
        Membership.objects.order_by()
        .select_related("study__form", "study__pair_plan")
        # Each version of a form is read once; see `annotations.forms.versions`. The others are
        # read when somebody joins.
        .defer("study__form__definition", "resume_hash", "address_hash", "removed_account")
        .filter(study__slug=mark.text("slug"), study__deleted_at=None, user=mark("user"))
    )
)


class HtmxRequest(HttpRequest):
    """A request as pages get it, after django-htmx's middleware. `place`: of a page of a study, once
    it is known that this person may see it."""

    htmx: HtmxDetails
    place: Place


class PersonsRequest(HtmxRequest):
    """A request as pages behind the login get it."""

    user: User


class Place:
    """A study, and this person in it. `own`: their membership; a superuser may have none."""

    def __init__(self, study: Study, user: User, own: Membership | None) -> None:
        self.study, self.user, self.own = study, user, own

    @property
    def role(self) -> str:
        if self.own is None or self.user.is_superuser:
            return Membership.Role.OWNER
        return self.own.role

    @property
    def may_research(self) -> bool:
        return self.role in {Membership.Role.OWNER, Membership.Role.RESEARCHER}

    @property
    def owns(self) -> bool:
        return self.role == Membership.Role.OWNER

    @cached_property
    def membership(self) -> Membership:
        """Only for what a person does as one of the study's people: it makes a superuser one of
        them. What somebody may do says `role`."""
        if self.own is None:
            self.own = _join(self.study, self.user)
        return self.own


def place_or_404(request: HttpRequest, slug: str) -> Place:
    """404 for people outside the study, as if there were no such study."""
    place = place_of(request.user, slug)
    if place is None:
        raise Http404
    # For the head of the page. Django's type of a request knows no attributes of ours.
    request.place = place  # type: ignore[attr-defined]
    return place


def place_of(user: AbstractBaseUser | AnonymousUser, slug: str) -> Place | None:
    membership = PLACE.first(slug=slug, user=user.pk or 0)
    if membership is not None:
        membership.user = user
        return Place(membership.study, membership.user, membership)
    if not isinstance(user, User) or not user.is_superuser:
        return None
    study = (
        Study.objects.select_related("form", "pair_plan")
        .defer("form__definition")
        .filter(slug=slug)
        .first()
    )
    return Place(study, user, None) if study is not None else None


def places_of(user: AbstractBaseUser | AnonymousUser) -> list[Place]:
    """In all studies that this person sees, the newest first."""
    if not isinstance(user, User):
        return []
    mine = Membership.objects.filter(user=user, study__deleted_at=None).select_related("study")
    own = {member.study_id: member for member in mine.order_by("-study__created_at", "study__slug")}
    if user.is_superuser:
        return [Place(study, user, own.get(study.pk)) for study in Study.objects.all()]
    return [Place(member.study, user, member) for member in own.values()]


def research_place_or_404(request: HttpRequest, slug: str) -> Place:
    place = place_or_404(request, slug)
    if not place.may_research:
        # Annotators must not see judges, generators or other people's labels.
        raise NotYours(gettext("This page is for the study's researchers."))
    return place


def owner_place_or_404(request: HttpRequest, slug: str) -> Place:
    place = place_or_404(request, slug)
    if not place.owns:
        raise NotYours("Only the study's owner can do this.")
    return place


def image_or_404(request: HttpRequest, public_id: str) -> Image:
    """The image, for people of its study in any role."""
    return _shown_or_404(Image, request, public_id)


def example_picture_or_404(request: HttpRequest, public_id: str) -> ExamplePicture:
    return _shown_or_404(ExamplePicture, request, public_id)


def prompt_picture_or_404(request: HttpRequest, public_id: str) -> PromptPicture:
    return _shown_or_404(PromptPicture, request, public_id)


def _shown_or_404(model: type[Shown], request: HttpRequest, public_id: str) -> Shown:
    """What has a file, for people of its study in any role."""
    rows = model._default_manager.filter(public_id=public_id, study__deleted_at=None)
    if not (isinstance(request.user, User) and request.user.is_superuser):
        rows = rows.filter(study__memberships__user=request.user.pk or 0)
    row = rows.exclude(file="").first()
    if row is None:
        raise Http404
    return row


@transaction.atomic
def _join(study: Study, user: User) -> Membership:
    """As an annotator: who runs the installation needs no other role, and whoever does so no longer
    shall keep none."""
    # Whoever joins or leaves a study waits here for the one before.
    Study.objects.order_by().select_for_update(no_key=True).get(pk=study.pk)
    known = Q(user=user) | Q(removed_account=user)
    member = Membership.objects.filter(known, study=study).first()
    if member is None:
        name = free_name(study, user.get_username())
        member = Membership(study=study, name=name)
        words = "runs the installation and began to label here"
    else:
        words = "runs the installation and labels here again"
    if member.user_id is None:
        member.user, member.removed_account, member.removed_at = user, None, None
        member.save()
        event_log.note(study, "joined", words, about=member, by=user)
    member.study, member.user = study, user
    return member

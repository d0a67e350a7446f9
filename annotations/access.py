"""Checks what a person may see: every page looks up its study, and the person's role, here."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser, User
from django.http import Http404, HttpRequest
from django_htmx.middleware import HtmxDetails

from annotations.database.prepared import Prepared
from annotations.errors import NotYours
from annotations.models import Image, Membership, Study

PLACE = Prepared(
    lambda mark: (
        Membership.objects.order_by()
        .select_related("study__form")
        # Each version of a form is read once; see `annotations.forms.versions`. The others are
        # read when somebody joins.
        .defer("study__form__definition", "resume_hash", "address_hash", "removed_account")
        .filter(study__slug=mark.text("slug"), study__deleted_at=None, user=mark("user"))
    )
)


class HtmxRequest(HttpRequest):
    """A request as pages get it, after django-htmx's middleware."""

    htmx: HtmxDetails


class PersonsRequest(HtmxRequest):
    """A request as pages behind `login_required` get it."""

    user: User


@dataclass(frozen=True, slots=True)
class Place:
    """A study, and this person's membership in it."""

    study: Study
    membership: Membership

    @property
    def may_research(self) -> bool:
        return self.membership.may_research


def place_or_404(request: HttpRequest, slug: str) -> Place:
    """404 for people outside the study, as if there were no such study."""
    place = place_of(request.user, slug)
    if place is None:
        raise Http404
    return place


def place_of(user: AbstractBaseUser | AnonymousUser, slug: str) -> Place | None:
    membership = PLACE.first(slug=slug, user=user.pk or 0)
    if membership is None:
        return None
    membership.user = user
    return Place(membership.study, membership)


def research_place_or_404(request: HttpRequest, slug: str) -> Place:
    place = place_or_404(request, slug)
    if not place.may_research:
        # Annotators must not see judges, generators or other people's labels.
        raise NotYours("This page is for the study's researchers.")
    return place


def owner_place_or_404(request: HttpRequest, slug: str) -> Place:
    place = place_or_404(request, slug)
    if place.membership.role != Membership.Role.OWNER:
        raise NotYours("Only the study's owner can do this.")
    return place


def image_or_404(request: HttpRequest, public_id: str) -> Image:
    """The image, for people of its study in any role."""
    image = (
        Image.objects.filter(
            public_id=public_id,
            study__memberships__user=request.user.pk or 0,
            study__deleted_at=None,
        )
        .exclude(file="")
        .first()
    )
    if image is None:
        raise Http404
    return image

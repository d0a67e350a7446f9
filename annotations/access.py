"""The only "may I see this?": everything is found through the study and the person's place in it."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import Http404, HttpRequest

from annotations.database.prepared import Prepared
from annotations.errors import NotYours
from annotations.models import Image, Membership, Study

PLACE = Prepared(
    lambda mark: (
        Membership.objects.order_by()
        .select_related("study__form")
        # Each version of a form is read once; see `annotations.forms.versions`.
        .defer("study__form__definition")
        .filter(study__slug=mark.text("slug"), user=mark("user"))
    )
)


@dataclass(frozen=True, slots=True)
class Place:
    """A study and what this person may do in it."""

    study: Study
    membership: Membership

    @property
    def may_research(self) -> bool:
        return self.membership.may_research


def place_or_404(request: HttpRequest, slug: str) -> Place:
    """Somebody else's study looks like no study at all."""
    membership = PLACE.first(slug=slug, user=request.user.pk or 0)
    if membership is None:
        raise Http404
    membership.user = request.user
    return Place(membership.study, membership)


def research_place_or_404(request: HttpRequest, slug: str) -> Place:
    place = place_or_404(request, slug)
    if not place.may_research:
        # Blind: annotators see no judge, no generator, no other person's label.
        raise NotYours("This page is for the study's researchers.")
    return place


def owner_place_or_404(request: HttpRequest, slug: str) -> Place:
    place = place_or_404(request, slug)
    if place.membership.role != Membership.Role.OWNER:
        raise NotYours("Only the study's owner can do this.")
    return place


def image_or_404(request: HttpRequest, public_id: str) -> Image:
    """An image is shown to the people of its study, whatever their role."""
    image = (
        Image.objects.filter(public_id=public_id, study__memberships__user_id=request.user.pk)
        .exclude(file="")
        .first()
    )
    if image is None:
        raise Http404
    return image

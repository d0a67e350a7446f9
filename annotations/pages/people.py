"""The people of a study: their roles, how they answer, and the invitations."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from django.contrib import messages
from django.db.models import Count
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST

from annotations.access import (
    HtmxRequest,
    PersonsRequest,
    Place,
    owner_place_or_404,
    research_place_or_404,
)
from annotations.errors import StudyRefused
from annotations.models import Group, Invitation, Membership, Selection, Study
from annotations.models.people import PLACES_PER_ADDRESS
from annotations.pages.form_values import number, whole
from annotations.stored_answers.waiting import has_seen
from annotations.studies import annotator_quality, crowd, groups, invitations, set_aside
from annotations.studies import settings as study_settings

PAST_LINKS = 20
# The newest ones, to make a group of.
MOST_SELECTIONS = 100


@require_GET
def people(request: HtmxRequest, slug: str) -> HttpResponse:
    return _people(request, research_place_or_404(request, slug))


@require_POST
def person(request: HtmxRequest, slug: str, member_id: int) -> HttpResponse:
    """Change one person: role, group, remove, add again, new code, set aside (all, or what was too fast),
    count again."""
    place = owner_place_or_404(request, slug)
    member = get_object_or_404(Membership, pk=member_id, study=place.study)
    verb, words = request.POST.get("do", ""), ""
    if verb == "role":
        study_settings.set_role(member=member, role=request.POST.get("role", ""))
    elif verb == "group":
        groups.put(member=member, group=_group(place.study, request.POST.get("group", "")))
    elif verb == "remove":
        words = study_settings.remove(member=member)
    elif verb == "add-again":
        study_settings.add_again(member=member, role=request.POST.get("role", ""))
    elif verb == "new-code":
        code = crowd.give_new_code(member=member)
        words = gettext(
            "The new code of %(name)s is %(code)s. It is shown only now: send it to them."
        )
        words = words % {"name": member.name, "code": code}
    elif verb == "set-aside":
        set_aside.set_aside(member=member)
    elif verb == "set-fast-aside":
        set_aside.set_aside(member=member, faster_than=place.study.fastest_seconds)
    elif verb == "count":
        words = set_aside.count_again(member=member).owner_note
    else:
        raise Http404
    return _show_change(request, place, words, messages.WARNING)


@require_POST
def invite(request: PersonsRequest, slug: str) -> HttpResponse:
    place = owner_place_or_404(request, slug)
    given = request.POST
    each = given.get("images_each", "")
    group = _group(place.study, given.get("group", ""))
    if given.get("kind") == Invitation.Kind.CROWD:
        crowd.open_to_crowd(
            study=place.study,
            note=given.get("note", ""),
            images_each=whole(each) if each else None,
            completion_code=given.get("completion_code", ""),
            completion_url=given.get("completion_url", ""),
            screenout_code=given.get("screenout_code", ""),
            screenout_url=given.get("screenout_url", ""),
            signed="signed" in given,
            places_per_address=whole(given.get("places_per_address") or str(PLACES_PER_ADDRESS)),
            group=group,
            by=request.user,
        )
    else:
        invitations.invite(
            study=place.study,
            role=given.get("role", "annotator"),
            note=given.get("note", ""),
            uses=whole(given.get("uses") or "1"),
            days=whole(given.get("days") or str(invitations.DAYS)),
            images_each=whole(each) if each else None,
            group=group,
            by=request.user,
        )
    return _show_change(request, place)


@require_POST
def add(request: HtmxRequest, slug: str) -> HttpResponse:
    """Somebody who has an account, by its name."""
    place = owner_place_or_404(request, slug)
    name, role = request.POST.get("name", ""), request.POST.get("role", "")
    try:
        member = invitations.add_account(study=place.study, name=name, role=role)
    except StudyRefused as refusal:
        if request.htmx:
            raise
        return _people(request, place, refused=refusal.message, typed=name)
    words = gettext("%(name)s is in the study, as %(role)s.") % {
        "name": member.name,
        "role": member.get_role_display(),
    }
    return _show_change(request, place, words)


@require_POST
def set_rules(request: HtmxRequest, slug: str) -> HttpResponse:
    """How many people label each image, or from which time on an answer is not too fast."""
    place = owner_place_or_404(request, slug)
    if "overlap" in request.POST:
        people = whole(request.POST["overlap"])
        study_settings.set_overlap(study=place.study, people=people)
    if "fastest_seconds" in request.POST:
        seconds = number(request.POST["fastest_seconds"])
        study_settings.set_fastest(study=place.study, seconds=seconds)
    return _show_change(request, place)


@require_POST
def change_groups(request: HtmxRequest, slug: str) -> HttpResponse:
    """Make a group, or delete one."""
    place = owner_place_or_404(request, slug)
    given, study = request.POST, place.study
    if given.get("do") == "delete":
        group = _group(study, given.get("group", ""))
        if group is None:
            raise Http404
        words = groups.delete_group(group=group)
    else:
        selection = get_object_or_404(Selection, study=study, pk=whole(given.get("selection", "")))
        inside = given.get("which") != "others"
        made = groups.make_group(
            study=study, name=given.get("name", ""), selection=selection, inside=inside
        )
        words = gettext("The group “%(name)s” gets %(images)s.") % {
            "name": made.name,
            "images": made.images_in_words,
        }
    return _show_change(request, place, words)


@require_POST
def close_invitation(request: HtmxRequest, slug: str, invitation_id: int) -> HttpResponse:
    place = owner_place_or_404(request, slug)
    invitation = get_object_or_404(Invitation, pk=invitation_id, study=place.study)
    invitations.close_invitation(invitation=invitation)
    return _show_change(request, place)


@require_POST
def set_places(request: HtmxRequest, slug: str, invitation_id: int) -> HttpResponse:
    """How many workers may come from one address by this link."""
    place = owner_place_or_404(request, slug)
    invitation = get_object_or_404(Invitation, pk=invitation_id, study=place.study)
    places = whole(request.POST.get("places", ""))
    crowd.set_places_per_address(invitation=invitation, places=places)
    return _show_change(request, place)


def _show_change(
    request: HtmxRequest, place: Place, words: str = "", level: int = messages.SUCCESS
) -> HttpResponse:
    if request.htmx:
        return _people(request, place, words)
    if words:
        messages.add_message(request, level, words)
    return redirect("people", slug=place.study.slug)


def _people(
    request: HtmxRequest, place: Place, words: str = "", *, refused: str = "", typed: str = ""
) -> HttpResponse:
    study = place.study
    may_change = place.owns
    template = "annotations/people.html"
    if request.htmx:
        template += "#people"
    links = _links(request, study) if may_change else []
    # After an owner's change the page shows what it did.
    changed = request.method == "POST"
    rows = annotator_quality.people_rows(study, now=changed)
    if has_seen(request, rows.waiting):
        return HttpResponse(status=204)
    medians = [row.seconds for row in rows if row.seconds is not None]
    context = {
        "study": study,
        "may_change": may_change,
        "words": words,
        "refused": refused,
        "typed": typed,
        "rows": rows,
        "counted_at": rows.counted_at,
        "waiting": rows.waiting,
        "too_fast": None if rows.waiting else sum(row.too_fast.right for row in rows),
        "median_seconds": median(medians) if medians else None,
        "roles": Membership.Role.choices,
        "open_links": [link for link in links if link.invitation.is_open],
        "past_links": [link for link in links if not link.invitation.is_open],
        "groups": groups.groups_of(study),
        "selections": study.selections.all()[:MOST_SELECTIONS] if may_change else [],
        "me": place.own,
        "usual_days": invitations.DAYS,
        "usual_places": PLACES_PER_ADDRESS,
    }
    response = render(request, template, context, status=409 if refused else 200)
    response["Vary"] = "Cookie, HX-Request"
    return response


def _group(study: Study, key: str) -> Group | None:
    """The group with this key; none for an empty one."""
    return get_object_or_404(Group, study=study, pk=whole(key)) if key else None


@dataclass(frozen=True, slots=True)
class Link:
    """An invitation as the page shows it. `came`: how many workers, of a crowd's link."""

    invitation: Invitation
    address: str
    people: list[Membership]
    came: int
    key: str


def _links(request: HtmxRequest, study: Study) -> list[Link]:
    """All open links, and the newest of the others."""
    rows = list(invitations.links(study))
    past = [row.pk for row in rows if not row.is_open][:PAST_LINKS]
    shown = [row for row in rows if row.is_open or row.pk in past]
    people: dict[int, list[Membership]] = {row.pk: [] for row in shown}
    came = Membership.objects.filter(invitation__in=people).order_by("pk")
    of_people = came.filter(invitation__kind=Invitation.Kind.PERSON)
    for member in of_people.only("name", "created_at", "removed_at", "invitation_id"):
        people[member.invitation_id or 0].append(member)
    counts = dict(came.order_by().values_list("invitation").annotate(Count("pk")))
    return [
        Link(
            row,
            _address(request, row),
            people[row.pk],
            counts.get(row.pk, 0),
            crowd.signing_key(row) if row.signed else "",
        )
        for row in shown
    ]


def _address(request: HtmxRequest, invitation: Invitation) -> str:
    door = "crowd" if invitation.kind == Invitation.Kind.CROWD else "join"
    return request.build_absolute_uri(reverse(door, args=[invitations.token_of(invitation)]))

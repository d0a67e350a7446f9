"""The pages of a study's owner: its settings, its people, what they disagree about."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from annotations import event_log as trail
from annotations import quality
from annotations.access import Place, owner_place_or_404, research_place_or_404
from annotations.errors import StudyRefused
from annotations.exports import pseudonyms
from annotations.models import Flag, Image, Invitation, Membership
from annotations.studies import adjudication as adjudicating
from annotations.studies import flags as flagging
from annotations.studies import invitations as inviting
from annotations.studies import settings as managing

CASES_PER_PAGE = 60
FLAGGED_PER_PAGE = 30
EVENTS_PER_PAGE = 100


@require_GET
@login_required
def manage(request: HttpRequest, slug: str) -> HttpResponse:
    return _manage(request, research_place_or_404(request, slug))


@require_POST
@login_required
def change(request: HttpRequest, slug: str) -> HttpResponse:
    """One setting of the study: its status, its overlap, its share of known answers."""
    place = owner_place_or_404(request, slug)
    given = request.POST
    if "status" in given:
        managing.set_status(study=place.study, status=given["status"])
    if "overlap" in given:
        managing.set_overlap(study=place.study, people=_whole(given["overlap"]))
    if "gold_share" in given:
        managing.set_gold_share(study=place.study, share=_whole(given["gold_share"]))
    if request.htmx:
        return _manage(request, place)
    return redirect("manage", slug=slug)


@require_GET
@login_required
def people(request: HttpRequest, slug: str) -> HttpResponse:
    return _people(request, research_place_or_404(request, slug))


@require_POST
@login_required
def person(request: HttpRequest, slug: str, member_id: int) -> HttpResponse:
    """Change one person: role, remove, set aside, count again."""
    place = owner_place_or_404(request, slug)
    member = get_object_or_404(Membership, pk=member_id, study=place.study)
    verb, words = request.POST.get("do", ""), ""
    if verb == "role":
        managing.set_role(member=member, role=request.POST.get("role", ""))
    elif verb == "remove":
        managing.remove(member=member)
    elif verb == "set-aside":
        quality.set_aside(member=member)
    elif verb == "count":
        words = quality.count_again(member=member).words
    else:
        raise Http404
    if request.htmx:
        return _people(request, place, words)
    if words:
        messages.warning(request, words)
    return redirect("people", slug=slug)


@require_POST
@login_required
def invite(request: HttpRequest, slug: str) -> HttpResponse:
    place = owner_place_or_404(request, slug)
    given = request.POST
    if given.get("kind") == Invitation.Kind.CROWD:
        each = given.get("images_each", "")
        inviting.open_to_crowd(
            study=place.study,
            note=given.get("note", ""),
            images_each=_whole(each) if each else None,
            completion_code=given.get("completion_code", ""),
            completion_url=given.get("completion_url", ""),
        )
    else:
        inviting.invite(
            study=place.study, role=given.get("role", "annotator"), note=given.get("note", "")
        )
    if request.htmx:
        return _people(request, place)
    return redirect("people", slug=slug)


@require_POST
@login_required
def close_invitation(request: HttpRequest, slug: str, invitation_id: int) -> HttpResponse:
    place = owner_place_or_404(request, slug)
    invitation = get_object_or_404(Invitation, pk=invitation_id, study=place.study)
    inviting.close_invitation(invitation=invitation)
    if request.htmx:
        return _people(request, place)
    return redirect("people", slug=slug)


@require_GET
@login_required
def disagreements(request: HttpRequest, slug: str) -> HttpResponse:
    place = research_place_or_404(request, slug)
    found = adjudicating.disagreements(place.study)
    only_open = "all" not in request.GET
    shown = [case for case in found if not (only_open and case[2])]
    context = {
        "study": place.study,
        "may_research": True,
        "page": Paginator(shown, CASES_PER_PAGE).get_page(request.GET.get("page")),
        "total": len(found),
        "decided": sum(case[2] for case in found),
        "only_open": only_open,
    }
    return render(request, "annotations/disagreements.html", context)


@require_GET
@login_required
def flags(request: HttpRequest, slug: str) -> HttpResponse:
    return _flags(request, research_place_or_404(request, slug))


@require_POST
@login_required
def flag_change(request: HttpRequest, slug: str, flag_id: int) -> HttpResponse:
    """Settle a flag with a remark, or put it back among the open ones."""
    place = owner_place_or_404(request, slug)
    flag = get_object_or_404(Flag, pk=flag_id, image__study=place.study)
    verb = request.POST.get("do", "")
    if verb == "settle":
        flagging.settle(flag=flag, remark=request.POST.get("remark", ""), by=request.user)
    elif verb == "put-back":
        flagging.put_back(flag=flag)
    else:
        raise Http404
    if request.htmx:
        return _flags(request, place)
    return redirect("flags", slug=slug)


@require_POST
@login_required
def gold(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Mix an image in among the others with what was decided about it as its known answers."""
    place = owner_place_or_404(request, slug)
    image = get_object_or_404(Image, study=place.study, public_id=public_id)
    known = None if "ordinary" in request.POST else adjudicating.as_known_answers(image)
    managing.make_gold(image=image, answers=known)
    return redirect("disagreement", slug=slug, public_id=public_id)


@login_required
def disagreement(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """One image, everybody's answers side by side, and what is decided."""
    place = research_place_or_404(request, slug)
    image = get_object_or_404(
        Image.objects.select_related("prompt", "study__form"),
        study=place.study,
        public_id=public_id,
    )
    if request.method == "POST":
        place = owner_place_or_404(request, slug)
        adjudicating.decide(
            image=image,
            key=request.POST.get("question", ""),
            answer=request.POST.get("answer", ""),
            note=request.POST.get("note", ""),
            by=request.user,
        )
        if not request.htmx:
            return redirect("disagreement", slug=slug, public_id=public_id)
    rows = adjudicating.disputed(image)
    found = [case for case in adjudicating.disagreements(place.study) if not case[2]]
    following = next((address for pk, address, _ in found if pk != image.pk), "")
    context = {
        "study": place.study,
        "may_research": True,
        "may_decide": place.membership.role == Membership.Role.OWNER,
        "image": image,
        "rows": rows,
        "any_decided": any(row.decided for row in rows),
        "following": following,
        "open": len(found),
    }
    template = "annotations/disagreement.html"
    if request.htmx:
        template += "#case"
    return render(request, template, context)


@require_GET
@login_required
def events(request: HttpRequest, slug: str) -> HttpResponse:
    """Who changed, removed, exported or decided what, and when; for the owner."""
    place = owner_place_or_404(request, slug)
    page = Paginator(trail.events(place.study), EVENTS_PER_PAGE).get_page(request.GET.get("page"))
    context = {"study": place.study, "may_research": True, "page": page, "events": page.object_list}
    template = "annotations/events.html"
    if request.htmx:
        template += "#events"
    return render(request, template, context)


def _manage(request: HttpRequest, place: Place) -> HttpResponse:
    study = place.study
    template = "annotations/manage.html"
    if request.htmx:
        template += "#settings"
    context = {
        "study": study,
        "may_research": True,
        "may_change": place.membership.role == Membership.Role.OWNER,
        "statuses": study.Status.choices,
        "gold_images": study.images.filter(gold__isnull=False).count(),
    }
    return render(request, template, context)


def _people(request: HttpRequest, place: Place, words: str = "") -> HttpResponse:
    study = place.study
    invitations = list(study.invitations.filter(closed_at=None).order_by("-pk"))
    for invitation in invitations:
        name = "crowd" if invitation.kind == Invitation.Kind.CROWD else "join"
        token = inviting.token_of(invitation)
        invitation.link = request.build_absolute_uri(f"/{name}/{token}/")
    template = "annotations/people.html"
    if request.htmx:
        template += "#people"
    context = {
        "study": study,
        "may_research": True,
        "may_change": place.membership.role == Membership.Role.OWNER,
        "words": words,
        "rows": quality.people_rows(study),
        "roles": Membership.Role.choices,
        "invitations": invitations,
        "me": place.membership,
    }
    return render(request, template, context)


def _flags(request: HttpRequest, place: Place) -> HttpResponse:
    study = place.study
    only_open = "all" not in request.GET
    images = flagging.flagged_images(study, only_open=only_open)
    page = Paginator(images, FLAGGED_PER_PAGE).get_page(request.GET.get("page"))
    name_of = pseudonyms.naming(study)
    template = "annotations/flags.html"
    if request.htmx:
        template += "#flags"
    context = {
        "study": study,
        "may_research": True,
        "may_change": place.membership.role == Membership.Role.OWNER,
        "page": page,
        "rows": [
            (image, [(flag, name_of(flag.annotator_id)) for flag in image.flags.all()])
            for image in page
        ],
        "open": flagging.open_flags(study).count(),
        "total": Flag.objects.filter(image__study=study).count(),
        "only_open": only_open,
    }
    return render(request, template, context)


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise StudyRefused(f"“{text[:40]}” is not a whole number; nothing was changed.") from None

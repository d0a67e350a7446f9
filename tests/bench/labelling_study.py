"""The study that the benchmark of labelling works on, and the recount after it.

    python -m tests.bench.labelling_study make '{"images": 1000, …}'
    python -m tests.bench.labelling_study check

A process of its own: the benchmark itself knows no Django, only addresses and cookies. Both print
one JSON object.
"""

from __future__ import annotations

import json
import os
import sys

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "audit.settings")

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import transaction  # noqa: E402
from django.db.models import Count, F, Q  # noqa: E402
from django.utils import timezone  # noqa: E402

from annotations.forms.versions import publish_form  # noqa: E402
from annotations.labelling import image_order  # noqa: E402
from annotations.labelling.queries import progress  # noqa: E402
from annotations.models import (  # noqa: E402
    Annotation,
    Answer,
    Assignment,
    Generator,
    Image,
    Membership,
    Pair,
    PairAssignment,
    PairVote,
    Prompt,
    PromptPicture,
    Study,
)
from annotations.pairs import draws  # noqa: E402
from annotations.pictures.store import store_picture  # noqa: E402
from jurybox_formats.forms.papers import edits as edit_forms  # noqa: E402
from jurybox_formats.forms.papers import geneval_audit  # noqa: E402
from tests.making import cookie_of_person, png  # noqa: E402

GENERATORS = 5
BATCH = 2000


def make(
    *,
    images: int,
    overlap: int,
    people: int,
    finished: int = 0,
    pairs: int = 0,
    edits: bool = False,
) -> dict:
    """A study with some images finished by people of before, and accounts that are logged in. `edits`:
    each prompt has a source picture, and the form asks about both."""
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    with transaction.atomic():
        form = publish_form(edit_forms.FORM if edits else geneval_audit.FORM)
        study = Study.objects.create(slug="bench", title="Bench", form=form, overlap=overlap)
        _images(study, images)
        if edits:
            _sources(study)
        _finish(study, finished)
        if pairs:  # of each prompt
            draws.plan(study, overlap=overlap)
            draws.draw(study=study, per_prompt=pairs)
        cookies = [cookie_of_person(study, number) for number in range(people)]
    return {"cookies": cookies, "form": study.form_id, "media": str(settings.MEDIA_ROOT)}


def _images(study: Study, count: int) -> None:
    generators = Generator.objects.bulk_create(
        Generator(study=study, name=f"generator {n}") for n in range(GENERATORS)
    )
    prompts = Prompt.objects.bulk_create(
        (
            Prompt(study=study, key=f"p{n}", text=f"a red circle, number {n}")
            for n in range(-(-count // GENERATORS))
        ),
        batch_size=BATCH,
    )
    picture = store_picture(png(size=64), name="bench.png", study="shapes")
    Image.objects.bulk_create(
        (
            Image(
                study=study,
                prompt=prompts[n // GENERATORS],
                generator=generators[n % GENERATORS],
                key=f"i{n}",
                file=picture.file,
                sha256=picture.sha256,
                width=picture.width,
                height=picture.height,
                place=image_order.seeded_place(study.slug, f"p{n // GENERATORS}"),
            )
            for n in range(count)
        ),
        batch_size=BATCH,
    )


def _sources(study: Study) -> None:
    picture = store_picture(png((9, 9, 9), 64), name="source.png", study="shapes")
    PromptPicture.objects.bulk_create(
        (
            PromptPicture(
                study=study,
                prompt=prompt,
                place="source",
                file=picture.file,
                sha256=picture.sha256,
                width=picture.width,
                height=picture.height,
            )
            for prompt in study.prompts.all()
        ),
        batch_size=BATCH,
    )
    study.prompts.update(picture_count=1)


def _finish(study: Study, count: int) -> None:
    """Answered by as many people as the study wants: what is done must cost those who go on nothing."""
    done = list(study.images.order_by("place", "pk")[:count])
    for number in range(study.overlap if done else 0):
        person = Membership.objects.create(study=study, name=f"earlier {number}")
        Assignment.objects.bulk_create(
            (
                Assignment(study=study, image=image, annotator=person, state="answered")
                for image in done
            ),
            batch_size=BATCH,
        )
        made = Annotation.objects.bulk_create(
            (
                Annotation(
                    study=study,
                    image=image,
                    annotator=person,
                    form_id=study.form_id,
                    submitted_at=timezone.now(),
                )
                for image in done
            ),
            batch_size=BATCH,
        )
        Answer.objects.bulk_create(
            (
                Answer(annotation=annotation, question=question, value=1)
                for annotation in made
                for question in ("aligned", "quality")
            ),
            batch_size=BATCH,
        )
    for start in range(0, len(done), BATCH):
        some = [image.pk for image in done[start : start + BATCH]]
        Image.objects.filter(pk__in=some).update(taken=study.overlap)


def check() -> dict:
    study = Study.objects.get()
    counted = Annotation.objects.filter(study=study, state=Annotation.State.COUNTED)
    per_image = dict(counted.order_by().values_list("image").annotate(n=Count("pk")))
    in_use = dict(
        Assignment.objects.filter(state__in=["answered", "leased", "reserved"])
        .order_by()
        .values_list("image")
        .annotate(n=Count("pk"))
    )
    taken = dict(study.images.order_by().values_list("pk", "taken"))
    return {
        "annotations": counted.count(),
        "submissions": [str(s) for s in counted.values_list("submission", flat=True)],
        "answers": Answer.objects.filter(annotation__in=counted).count(),
        "over": sum(n > study.overlap for n in per_image.values()),
        "exact": sum(n == study.overlap for n in per_image.values()),
        "images": len(taken),
        "doubled": counted.count()
        - counted.order_by().values("image", "annotator").distinct().count(),
        "places_wrong": sum(in_use.get(pk, 0) != n for pk, n in taken.items()),
        "progress_wrong": sum(_progress_is_wrong(p) for p in study.memberships.exclude(user=None)),
    }


def check_pairs() -> dict:
    study = Study.objects.select_related("pair_plan").get()
    votes = PairVote.objects.filter(study=study, current=True)
    per_pair = dict(votes.order_by().values_list("pair").annotate(n=Count("pk")))
    in_use = dict(
        PairAssignment.objects.filter(state__in=["answered", "leased"])
        .order_by()
        .values_list("pair")
        .annotate(n=Count("pk"))
    )
    taken = dict(Pair.objects.filter(study=study).order_by().values_list("pk", "taken"))
    return {
        "submissions": [str(s) for s in votes.values_list("submission", flat=True)],
        "over": sum(n > study.pair_plan.overlap for n in per_pair.values()),
        "pairs": len(taken),
        "first_left": votes.filter(left="first").count(),
        "places_wrong": sum(in_use.get(pk, 0) != n for pk, n in taken.items()),
    }


def _progress_is_wrong(person: Membership) -> bool:
    shown = progress(person)
    mine = Annotation.objects.filter(annotator=person, state=Annotation.State.COUNTED).count()
    done = person.assignments.exclude(state__in=["leased", "reserved"]).values("image")
    held = person.assignments.filter(state__in=["leased", "reserved"]).values("image")
    left = (
        Image.objects.filter(study=person.study)
        .filter(Q(taken__lt=F("study__overlap")) | Q(pk__in=held))
        .exclude(pk__in=done)
        .count()
    )
    return shown.mine != mine or (left <= shown.left if shown.more else left != shown.left)


if __name__ == "__main__":
    verb, *rest = sys.argv[1:]
    does = {"check": check, "check_pairs": check_pairs}
    print(json.dumps(make(**json.loads(rest[0])) if verb == "make" else does[verb]()))

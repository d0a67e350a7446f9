"""Makes the studies of the demo: drawn images, labelled by simulated people."""

from __future__ import annotations

import json
import random
import secrets
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.db import transaction

from annotations.database import locks
from annotations.errors import NotYours, Refused
from annotations.forms.versions import publish_form
from annotations.imports import write_study
from annotations.imports.outcome import Outcome
from annotations.models import Membership, Study
from annotations.pairs import draws, simulated
from annotations.studies import owners
from judges.cards import jobs as card_jobs
from judges.intake import imported_scores
from judges.models import Measurement, Run
from judges.runs import lifecycle
from jurybox_formats.forms.definition import Form
from jurybox_formats.forms.papers import edits as edit_forms
from jurybox_formats.forms.papers import geneval_audit
from jurybox_formats.sets.builtin import study as builtin
from jurybox_formats.sets.drawn_edits import study as edits
from jurybox_formats.sets.signs import study as signs
from jurybox_judging import registry
from jurybox_judging.errors import JudgeRefused
from jurybox_judging.recipes.peoples_unit import PEOPLES

SLUG = "demo"
JUDGES = ("geneval-builtin", "soft-tifa-gm-builtin")
# Three simulated people have answered; two more people can label every image.
RATERS = 3
PROMPTS, GENERATORS, SIZE = 60, 6, 256
OVERLAP = 5
PAIRS_OF_A_PROMPT = 5
# The second study: words on signs, read by a published model wherever it is installed.
SIGNS_SLUG = "signs"
SIGNS_JUDGES = ("text-words", "text-whole")
SIGNS = 24
# The third: edits of drawn scenes, with planted faults, people and judges.
EDITS_SLUG = "edits"
EDITS = 48
EDITS_JUDGES = ("kept-rest-colour",)
# Each has a card, made of so many images.
MEASURED = {SLUG: JUDGES, SIGNS_SLUG: SIGNS_JUDGES, EDITS_SLUG: EDITS_JUDGES}
CARD_IMAGES = 20
PEOPLE = {
    "owner": Membership.Role.OWNER,
    "researcher": Membership.Role.RESEARCHER,
    "annotator": Membership.Role.ANNOTATOR,
}


@transaction.atomic
def begin(user: User) -> Study:
    """The demo for whoever may make studies, still without pictures: a worker draws them. A second
    request finds the same study."""
    if not owners.may_make_studies(user):
        raise NotYours("Only people who may make studies can make the demo.")
    study, created = _study()
    if created:
        owners.make_owner(study=study, user=user)
    return study


def finish(study_id: int) -> list[Run]:
    """Draw what is missing, and start the judges. Called twice, it leaves one demo."""
    with locks.hold_alone("demo"):
        study = Study.objects.filter(pk=study_id, slug=SLUG, simulated=True).first()
        if study is None:
            return []
        build_demo(prompts=PROMPTS, generators=GENERATORS, size=SIZE, seed=builtin.SEED)
        runs = start_judges(study)
        signs_study, edits_study = build_signs(prompts=SIGNS), build_edits(prompts=EDITS)
        for other in filter(None, (signs_study, edits_study)):
            for owner in study.memberships.filter(role=Membership.Role.OWNER):
                if owner.user is not None:
                    owners.make_owner(study=other, user=owner.user)
        runs += start_readers(signs_study) if signs_study else []
        return runs + (start_comparing(edits_study) if edits_study else [])


def start_judges(study: Study) -> list[Run]:
    return [lifecycle.start_run(study=study, name=name) for name in JUDGES]


def request_measurements(study: Study) -> list[Measurement]:
    """A card of each judge of the demo that has finished, of few images: workers make them once the pages
    are up."""
    if not study.simulated or study.slug not in MEASURED:
        return []
    found = []
    runs = Run.objects.filter(study=study, judge__name__in=MEASURED[study.slug])
    for run in runs.select_related("judge").order_by("pk"):
        if Measurement.objects.filter(study=study, payload__run=run.pk).exists():
            continue
        with suppress(JudgeRefused):  # It still scores, or a worker has yet to take it up.
            found.append(card_jobs.request(run, count=CARD_IMAGES))
    return found


def build_demo(*, prompts: int, generators: int, size: int, seed: int) -> Study:
    """Make what is missing of the demo study and keep what is there."""
    study, _ = _study()
    records = builtin.study(
        prompts=prompts, generators=generators, size=size, seed=seed, raters=RATERS
    )
    write_study.import_records(study=study, records=records, outcome=Outcome(), simulated=True)
    if generators > 1 and not study.pairs.exists():
        true = builtin.truths(prompts, generators, seed)
        _compare(study, true, seed)
    return study


def build_signs(*, prompts: int) -> Study | None:
    """Make what is missing of the study of signs and keep what is there; None where somebody's own
    study has its name."""
    if Study.objects.filter(slug=SIGNS_SLUG, simulated=False).exists():
        return None
    study, _ = _simulated_study(
        SIGNS_SLUG,
        "Demo: words on signs",
        "Simulated: programs drew the signs, with known mistakes, and gave people's answers. The judge "
        "is real: a published model reads each sign.",
    )
    records = signs.study(prompts, raters=RATERS)
    write_study.import_records(study=study, records=records, outcome=Outcome(), simulated=True)
    return study


def build_edits(*, prompts: int) -> Study | None:
    """Make what is missing of the study of edits and keep what is there; None where somebody's own
    study has its name."""
    if Study.objects.filter(slug=EDITS_SLUG, simulated=False).exists():
        return None
    study, _ = _simulated_study(
        EDITS_SLUG,
        "Demo: edits",
        "Simulated: programs drew and edited the scenes and gave people’s answers and judges’ scores. "
        "Five imaginary editors, each released later: it does oftener what was asked, and oftener "
        "more than that.",
        form=edit_forms.FORM,
    )
    records = edits.study(prompts, raters=RATERS)
    imported_scores.import_records(
        study=study, records=records, outcome=Outcome(), simulated=True, unit=PEOPLES
    )
    if not study.pairs.exists():
        true = {edit.key: (edit.did, edit.keeps_rest) for edit in edits.plan_edits(prompts)}
        _compare(study, true, edits.SEED)
    return study


def start_readers(study: Study) -> list[Run]:
    """None where the model is not installed; the page of judges says how it is."""
    ready = [name for name in SIGNS_JUDGES if not registry.why_not(name)]
    return [lifecycle.start_run(study=study, name=name) for name in ready]


def start_comparing(study: Study) -> list[Run]:
    """A judge that needs no weights looks at the edits beside the imaginary ones."""
    return [lifecycle.start_run(study=study, name=name) for name in EDITS_JUDGES]


def _compare(study: Study, true: Mapping[str, tuple[bool, ...]], seed: int) -> None:
    """A small study of pairs: the same simulated people say which of two images matches better.
    `true`: what holds of each image."""
    draws.plan(study, overlap=OVERLAP)
    draws.draw(study=study, per_prompt=PAIRS_OF_A_PROMPT, seed=seed)

    @cache
    def true_worth(key: str, person: str) -> float:
        chance = random.Random(f"seen {seed} {person} {key}")
        answers = [value != (chance.random() < builtin.ERROR_RATE) for value in true[key]]
        return sum(answers) / len(answers)

    people = list(study.memberships.filter(simulated=True).order_by("name"))
    simulated.vote(study=study, people=people, seen=true_worth, seed=seed)


def _study() -> tuple[Study, bool]:
    return _simulated_study(
        SLUG,
        "Demo: shapes and colours",
        "Simulated: programs drew the images and gave the answers. Six imaginary "
        "generators, each released later and drawing less plainly than the one before.",
    )


def _simulated_study(
    slug: str, title: str, description: str, *, form: Form = geneval_audit.FORM
) -> tuple[Study, bool]:
    defaults = {"title": title, "description": description, "form": publish_form(form)}
    study, created = Study.objects.get_or_create(
        slug=slug, defaults={**defaults, "overlap": OVERLAP, "simulated": True}
    )
    if not study.simulated:
        raise Refused(f"A study of yours is called “{slug}”: the demo would need that name.")
    return study, created


@transaction.atomic
def demo_logins(study: Study) -> dict[str, str]:
    """Names and passwords of three people, made once and kept beside the data."""
    file = Path(settings.VAR_DIR) / "demo_logins.json"
    known = json.loads(file.read_text()) if file.exists() else {}
    logins = {}
    for name, role in PEOPLE.items():
        user, created = get_user_model().objects.get_or_create(username=name)
        password = known.get(name) or secrets.token_urlsafe(9)
        if created or not user.check_password(password):
            user.set_password(password)
            user.save()
        Membership.objects.get_or_create(
            study=study, user=user, defaults={"name": name, "role": role}
        )
        logins[name] = password
    if logins != known:
        file.touch(mode=0o600)
        file.write_text(json.dumps(logins))
    return logins

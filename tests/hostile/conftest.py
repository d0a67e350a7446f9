"""One study with something of everything in it, and somebody in each role."""

from __future__ import annotations

import io
import uuid
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client, override_settings

from annotations.anchors import keep
from annotations.forms import example_pictures
from annotations.imports import write_study
from annotations.imports.outcome import Outcome
from annotations.labelling import record
from annotations.models import Atom, Deletion, Membership, Study
from annotations.studies import crowd, deletion, invitations, selections
from audit.accounts import tokens
from audit.models import Comment, Finding, TrainingSet
from audit.reports import make as reports
from judges.models import (
    AnchorScoring,
    Batch,
    Delivery,
    ModelServer,
    PartsVersion,
    PromptParts,
    SelfCheck,
    Upload,
    WeightCheck,
)
from jurybox_formats.sources.records import PromptPictureRecord
from tests import making
from tests.hostile.routes import ROLES

HOSTILE = """<script>alert(1)</script>"'><img src=x onerror=alert(2)>{{7*7}}${7*7}"""


@dataclass(frozen=True)
class World:
    study: Study
    people: dict[str, Membership]
    gaps: dict[str, object]
    media: Path
    secret: bytes  # the hash of the owner's password


@pytest.fixture(scope="module")
def world(django_db_setup, django_db_blocker, tmp_path_factory):
    """Labelled, judged, reported, invited to, uploaded to; made once for the tests of a file.

    Each test's own changes are rolled back; this is wiped at the end.
    """
    media = tmp_path_factory.mktemp("media")
    with django_db_blocker.unblock():
        with override_settings(MEDIA_ROOT=media):
            made = _build(media)
        yield made
        call_command("flush", verbosity=0, interactive=False)


def _build(media: Path) -> World:
    study = making.study("shapes-" + uuid.uuid4().hex[:6])
    elsewhere = making.study("elsewhere-" + uuid.uuid4().hex[:6])
    making.labels(
        study, {i.key: {"ann": 1, "ben": i.key != "early-0"} for i in study.images.order_by("pk")}
    )
    bob = making.person(study, "bob")
    answered = making.label(bob)
    flag = record.flag(image=answered.image, annotator=bob, reason="other", note=HOSTILE)
    run = making.scores(study, {"early-0": True, "late-0": False, "early-1": "the file is broken"})
    _poison(study, run)
    study.refresh_from_db()
    report = reports.make_report(study=study)
    finding = Finding.objects.create(
        study=study,
        image=study.images.get(key="early-0"),
        judge=HOSTILE,
        wanted=HOSTILE,
        found=f"no {HOSTILE}",
    )
    comment = Comment.objects.create(
        study=study, image=study.images.get(key="early-0"), text=HOSTILE, by=bob.user
    )
    row = {"image": "early-0", "prompt": "p0", "text": HOSTILE, "generator": HOSTILE, "sha256": ""}
    training = TrainingSet.objects.create(
        study=study,
        asked={"judge": HOSTILE, "rule": HOSTILE},
        body={
            "question": HOSTILE,
            "rule": "people",
            "threshold": {},
            **dict.fromkeys(("images", "taken", "prompts", "effective_size", "mean_weight"), 1),
            "without": [HOSTILE],
            "dropped": {HOSTILE: 1},
            "precision": {"undefined": HOSTILE, "n": 0},
            "generators": {HOSTILE: 1},
            "near": ["early-0", HOSTILE],
            "warnings": [HOSTILE],
            "signature": dict.fromkeys(("judge", "fingerprint", "data", "reference"), HOSTILE),
        },
        rows=[row | dict.fromkeys(("weight", "score", "people_yes", "people_n"), 1)],
        sha256="0" * 64,
    )
    door = crowd.open_to_crowd(study=study, completion_code="C0DE")
    invitation = invitations.invite(study=study, note=HOSTILE)
    upload = Upload.objects.create(
        study=study, name=HOSTILE, format="tidy", state="refused", reason=f"No such file: {HOSTILE}"
    )
    check = WeightCheck.objects.create(
        study=study,
        judge=HOSTILE,
        options={HOSTILE: HOSTILE},
        state="refused",
        reason=HOSTILE,
        parts=[{"part": HOSTILE, "engine": HOSTILE, "files": {HOSTILE: 1}, "missing": [HOSTILE]}],
    )
    self_check = SelfCheck.objects.create(
        study=study,
        judge=HOSTILE,
        options={HOSTILE: HOSTILE},
        count=1,
        state="done",
        reason=HOSTILE,
        fingerprint=HOSTILE[:16],
        pairs=[
            {"check": "again", "image": HOSTILE, "prompt": HOSTILE, "before": n, "after": 1}
            for n in (0, 1)
        ],
        left_out={"mirror": {HOSTILE: 1}},
    )
    server = ModelServer.objects.create(
        address="http://127.0.0.1:9/v1",
        model=HOSTILE,
        trial={"wrong": {"answers": HOSTILE, "talk": ""}, "seconds": 1.0, "tokens": [1, 1]},
    )
    draft = PartsVersion.objects.create(study=study, number=1, source=HOSTILE)
    part = {"kind": HOSTILE[:40], "text": HOSTILE, "question": HOSTILE, "expected": HOSTILE}
    parts = PromptParts.objects.create(
        version=draft,
        prompt=study.prompts.get(key="p0"),
        parts=[{**part, "parents": [], "choices": [HOSTILE]}],
    )
    anchors = keep.keep(study=study, images=[study.images.earliest("pk").pk], of=1, seed=0)
    AnchorScoring.objects.create(
        study=study,
        run=run,
        anchors=anchors,
        judge=HOSTILE,
        state="done",
        scores=[
            {
                "image": HOSTILE,
                "prompt": "p",
                "score": None,
                "reason": HOSTILE,
                "replies": [[HOSTILE] * 2],
            }
        ],
        changed_pictures=[HOSTILE],
    )
    people = {
        "stranger": making.person(elsewhere, "stranger", role="owner"),
        "crowd": crowd.enter_from_crowd(invitation=door, worker="worker-0815"),
        "annotator": bob,
        "researcher": making.person(study, "rita", role="researcher"),
        "owner": making.person(study, "alice", role="owner"),
        "superuser": making.person(elsewhere, "root"),
    }
    User.objects.filter(username="root").update(is_superuser=True, is_staff=True)
    assert set(people) == set(ROLES) - {"anonymous"}
    owner = people["owner"].user
    leaving = making.study("leaving-" + uuid.uuid4().hex[:6], prompts=1)
    delivery = Delivery.objects.create(by=owner)
    batch = Batch.objects.create(
        delivery=delivery, files=[[HOSTILE, 9]], digest="x", size=9, piece=9
    )
    write_study.import_records(
        study=study,
        records=[PromptPictureRecord("p0", "source", making.png((9, 9, 9)))],
        outcome=Outcome(),
    )
    picture = example_pictures.add(study=study, content=io.BytesIO(making.png()))
    chosen = selections.choose(
        study=study, images=study.images.values_list("pk", flat=True), name=HOSTILE
    )
    going = deletion.begin(study=leaving, by=owner)
    Deletion.objects.filter(pk=going.pk).update(
        state=Deletion.State.GIVEN_UP,
        payload={**going.payload, "title": HOSTILE},
        reason=HOSTILE,
    )
    owner.set_password("a-long-and-quiet-river")
    owner.save()
    token, _ = tokens.make(user=owner, name=HOSTILE)
    gaps = {
        "<int:token_id>": token.pk,
        "<slug:slug>": study.slug,
        "label/answers/<slug:public_id>": f"label/answers/{answered.image.public_id}",
        "pictures/<slug:public_id>": f"pictures/{study.prompt_pictures.get().public_id}",
        "examples/<slug:public_id>": f"examples/{picture.removeprefix('own:')}",
        "<int:flag_id>": flag.pk,
        "<path:image_id>": "early-0",
        "<path:rest>": "nowhere",
        "<slug:public_id>": study.images.get(key="early-0").public_id,
        "<int:run_id>": run.pk,
        "<int:check_id>": check.pk,
        "<int:self_check_id>": self_check.pk,
        "<int:server_id>": server.pk,
        "<int:row_id>": parts.pk,
        "<int:member_id>": bob.pk,
        "<int:invitation_id>": invitation.pk,
        "<int:report_id>": report.pk,
        "<int:set_id>": training.pk,
        "<int:comment_id>": comment.pk,
        "<int:finding_id>": finding.pk,
        "<int:upload_id>": upload.pk,
        "<int:selection_id>": chosen.pk,
        "<int:batch_id>": batch.pk,
        "<int:number>": 0,
        "<int:deletion_id>": going.pk,
        "<str:judge>": "geneval-builtin",
        "<slug:uidb64>": "MQ",
        "<slug:token>": "no-token",
        "<str:key>": "no-key",
        "<str:token>": invitations.token_of(invitation),
    }
    return World(study, people, gaps, media, owner.password.encode())


def _poison(study: Study, run) -> None:
    """Wherever somebody else's words are kept."""
    Study.objects.filter(pk=study.pk).update(title=HOSTILE, description=HOSTILE)
    study.prompts.update(text=HOSTILE)
    Atom.objects.filter(prompt__study=study).update(text=HOSTILE, question=HOSTILE)
    for generator in study.generators.all():
        study.generators.filter(pk=generator.pk).update(name=f"{generator.name} {HOSTILE}")
    for member in study.memberships.all():
        study.memberships.filter(pk=member.pk).update(name=f"{member.name} {HOSTILE}")
    run.scores.exclude(value=None).update(reason=HOSTILE)
    run.scores.filter(value=None).update(error=HOSTILE)


@pytest.fixture
def clients(db, settings, world):
    """A browser for each role."""
    settings.MEDIA_ROOT = world.media

    def client(role: str, **options) -> Client:
        browser = Client(raise_request_exception=False, **options)
        if role != "anonymous":
            browser.force_login(world.people[role].user)
        return browser

    return client


# What the gaps mean that each route understands for itself.
_OWN_GAPS = {
    "drift-chart": {"<slug:kind>": "svg"},
    "chart": {"<slug:name>": "drift", "<slug:kind>": "svg"},
    "api-export": {"<slug:what>": "labels"},
    "export-file": {"<slug:what>": "labels", "<slug:kind>": "csv"},
    "table": {"<slug:name>": "slices"},
    "leaderboard-chart": {"<slug:chart>": "standing", "<slug:kind>": "svg"},
    "question": {"<slug:name>": "label-time"},
    "question-table": {"<slug:name>": "label-time"},
    "question-document": {"<slug:name>": "label-time", "<slug:kind>": "html"},
    "question-chart": {"<slug:name>": "label-time", "<slug:chart>": "time", "<slug:kind>": "svg"},
    "api-question": {"<slug:name>": "label-time"},
    "pairs-file": {"<slug:name>": "votes"},
    "why-chart": {"<slug:kind>": "svg"},
    "people-chart": {"<slug:chart>": "course", "<slug:kind>": "svg"},
    "sample-table": {"<slug:name>": "images"},
    "report-file": {"<slug:kind>": "html"},
}


@pytest.fixture
def filled(world):
    """An address with its gaps filled from the study."""

    def fill(name: str, address: str) -> str:
        for gap, value in {**world.gaps, **_OWN_GAPS.get(name, {})}.items():
            address = address.replace(gap, str(value))
        assert "<" not in address, f"nobody says what to put into {address}"
        if name == "report-changes":
            address += "?a={0}&b={0}".format(world.gaps["<int:report_id>"])
        return f"/{address}"

    return fill

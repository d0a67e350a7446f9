"""Forty names, e-mail addresses and numbers of crowd workers are planted in a study; none of them stands
in anything that a researcher carries out of it."""

from __future__ import annotations

import json
import re
import uuid
import zipfile
import zlib
from collections import Counter
from datetime import timedelta
from io import BytesIO, StringIO
from ipaddress import ip_network
from pathlib import Path

import pyarrow.parquet
import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

import jurybox
from annotations.anchors import keep
from annotations.database.scrub import PSEUDONYM
from annotations.event_log import on_behalf_of
from annotations.jobs import run as run_job
from annotations.jobs import waiting
from annotations.models import Event, Flag
from annotations.studies import crowd
from audit.handed_in.formats import HANDED_IN
from audit.models import Report, Webhook, WebhookMessage
from audit.reports import make as reports
from audit.webhooks import messages, set_up
from judges.exports.tables import TABLES
from judges.models import AnchorScoring, Run
from tests import making
from tests.hostile.routes import routes
from tests.receiver import listening

pytestmark = pytest.mark.django_db
# Not the pages on which the study's own team sees whom it works with.
CARRIED = re.compile(r"^api-|-(csv|chart|table|file|json)$|^(table|chart|export|reports)$")
NAMES = [f"planted-name-{n}" for n in range(10)]
MAILS = [f"planted.mail.{n}@example.org" for n in range(10)]
WORKERS = [f"PLANTEDWORKER{n}" for n in range(10)]
RATERS = [f"Planted Rater {n}" for n in range(10)]
PLANTED = re.compile("planted[- .]?(name|mail|worker|rater)", re.IGNORECASE)


@pytest.fixture
def planted():
    return plant(prompts=4)


def plant(*, prompts: int):
    study = making.study(f"study-{uuid.uuid4().hex[:4]}", prompts=prompts)
    for name, mail in zip(NAMES, MAILS, strict=True):
        member = making.person(study, name)
        User.objects.filter(pk=member.user_id).update(email=mail, first_name=name, last_name=name)
    door = crowd.open_to_crowd(study=study, completion_code="C0DE")
    for worker in WORKERS:
        crowd.enter_from_crowd(invitation=door, worker=worker)
    images = list(study.images.order_by("key"))
    people = [*NAMES, *WORKERS, *RATERS]
    making.labels(
        study,
        {i.key: {who: (n + m) % 2 for m, who in enumerate(people)} for n, i in enumerate(images)},
    )
    making.scores(study, {i.key: (n % 3) / 2 for n, i in enumerate(images)})
    assert sum(bool(PLANTED.search(m.name)) for m in study.memberships.all()) == 30
    return study


@pytest.fixture
def reader(planted):
    client = Client(raise_request_exception=False)
    client.force_login(making.person(planted, "rita", role="researcher").user)
    return client


def texts(content: bytes):
    """The content, and what is packed in it: parts of a zip, streams of a PDF."""
    yield content
    if content[:2] == b"PK":
        with zipfile.ZipFile(BytesIO(content)) as archive:
            for name in archive.namelist():
                yield name.encode()
                yield archive.read(name)
    for packed in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", content, re.DOTALL):
        try:
            yield zlib.decompress(packed)
        except zlib.error:
            continue


def shows_nobody(content: bytes, where: str) -> None:
    for text in texts(content):
        found = PLANTED.search(text.decode("utf-8", errors="replace"))
        assert found is None, f"{where}: {found}"


def body_of(answer) -> bytes:
    return b"".join(answer.streaming_content) if answer.streaming else answer.content


@pytest.mark.nightly("every export, chart and file; the test below reads one report and one export")
def test_no_file_page_of_numbers_or_answer_of_the_api_names_anybody(planted, reader):
    report = reports.make_report(study=planted)
    fill = {
        "<slug:slug>": planted.slug,
        "<int:report_id>": str(report.pk),
        "<int:run_id>": str(planted.runs.get().pk),
        "<slug:public_id>": planted.images.first().public_id,
        "<str:judge>": "some-judge",
    }
    looked = 0
    for name, route in routes():
        if not CARRIED.search(name):
            continue
        address = route
        for gap, value in fill.items():
            address = address.replace(gap, value)
        for one in _choices(name, address):
            answer = reader.get(f"/{one}")
            assert answer.status_code < 500, one
            if answer.status_code == 200:
                shows_nobody(body_of(answer), one)
                looked += 1
    assert looked > 60


def _choices(name: str, address: str) -> list[str]:
    if name in {"api-export", "export-file"}:
        kinds = [(what, kind) for what, table in TABLES.items() for kind in table.formats]
        if name == "api-export":
            return [f"{address.replace('<slug:what>', w)}?format={k}" for w, k in kinds]
        return [address.replace("<slug:what>", w).replace("<slug:kind>", k) for w, k in kinds]
    if name == "report-file":
        return [address.replace("<slug:kind>", kind) for kind in (*HANDED_IN, "json")]
    if name in {"chart", "people-chart", "leaderboard-chart"}:
        charts = ("drift", "course", "others", "pairs", "times", "standing")
        return [
            address.replace("<slug:name>", chart)
            .replace("<slug:chart>", chart)
            .replace("<slug:kind>", kind)
            for chart in charts
            for kind in ("json", "svg")
        ]
    if name == "table":
        return [address.replace("<slug:name>", table) for table in ("slices", "drift", "people")]
    return [] if "<" in address else [address]


def test_people_in_a_report_are_those_of_the_exports(planted, reader):
    out = StringIO()
    call_command("report", planted.slug, "--json", resamples=200, stdout=out)
    shows_nobody(out.getvalue().encode(), "report --json")
    people = set(json.loads(out.getvalue())["people"]["each_rater"])
    labels = reader.get(reverse("export-file", args=[planted.slug, "labels", "csv"]))
    exported = set(re.findall(rb"person-[0-9a-f]{10}", body_of(labels)))
    assert len(people) == 24
    assert {name.encode() for name in people} <= exported


def _commands(slug: str, folder: Path) -> list[tuple]:
    """What a command prints goes into the answer, what it writes into the folder."""
    judge, out = "some-judge", str(folder)
    found: list[tuple] = [
        ("report", slug),
        ("report", slug, "--json"),
        *(("report", slug, "--out", f"{out}/report.{k}", "--format", k) for k in HANDED_IN),
        ("export_lake", f"{out}/lake", slug),
        ("report", slug, "--lake", f"{out}/lake", "--json"),
        ("export_labels", slug),
        *(("export_labels", slug, "--consensus", rule) for rule in ("majority", "mean")),
        ("export_study", slug, f"{out}/study", "--images"),
        ("export_dataset", slug, f"{out}/dataset"),
        ("export_scores", slug, "--judge", judge),
        ("export_pairs", slug),
        ("images", slug, "--format", "jsonl"),
        ("leaderboard", slug, "--from", "answers", "--json"),
        ("plan_labels", slug, "--within", "20", "--json"),
        ("why", slug, "--judge", judge, "--from", "early", "--to", "late", "--json"),
        ("anchors", slug, "certificate", "--judge", judge, "--json"),
        ("log_report", slug, "--to", "tensorboard", "--folder", f"{out}/trackers"),
    ]
    for what, table in TABLES.items():
        for kind in table.formats:
            found.append(("export", slug, what, "--format", kind, "--out", f"{out}/{what}.{kind}"))
    return found


def test_answers_about_one_image_are_named_to_the_owner_alone(planted, reader):
    reports.make_report(study=planted)
    image = planted.images.first()
    flagged_by = planted.memberships.get(name=NAMES[0])
    Flag.objects.create(image=image, annotator=flagged_by, reason=Flag.Reason.values[0])
    owner = Client()
    owner.force_login(making.person(planted, "olga", role="owner").user)
    for page in ("evidence", "data-image"):
        address = reverse(page, args=[planted.slug, image.public_id])
        shows_nobody(reader.get(address).content, page)
        assert len(set(PSEUDONYM.findall(reader.get(address).text))) == 30
        text = owner.get(address).text
        assert all(name in text for name in (*NAMES, *RATERS))


def test_no_webhook_names_anybody_on_the_wire(planted, settings):
    """A report, an alarm, a failed run, a trial and a message that is tried again, as they arrive."""
    settings.WEBHOOK_NETWORKS = [ip_network("127.0.0.0/8")]
    run = planted.runs.get()
    owner = making.person(planted, "planted-name-owner", role="owner")
    with listening() as receiver:
        with on_behalf_of(owner.user):
            set_up.set_webhook(study=planted, url=receiver.address)
        report = reports.make_report(study=planted)
        report.summary["judges"]["some-judge"]["alarm"] = True
        report.save(update_fields=["summary"])
        stopped = {"state": "stopped", "reason": "The server refused.", "started_by": owner.user}
        Run.objects.filter(pk=run.pk).update(**stopped, finished_at=timezone.now())
        messages.test(Webhook.objects.get())
        messages.write_new()
        for receiver.status in (500, 200):
            WebhookMessage.objects.update(due_at=None)
            for job in waiting():
                run_job(job.pk)
        parts = [
            part.encode() if isinstance(part, str) else part
            for path, headers, body in receiver.got
            for part in (path, *headers.keys(), *headers.values(), body)
        ]
    kinds = Counter(headers["Jurybox-Event"] for _, headers, _ in receiver.got)
    assert kinds == dict.fromkeys(["test", "alarm_rung", "report_ready", "run_failed"], 2)
    # Of each message: path, ten headers by name and value, body.
    assert len(parts) == 8 * (1 + 2 * 10 + 1)
    for part in parts:
        shows_nobody(part, "on the wire")
    # And nothing of it stands in what was written about it.
    for event in Event.objects.filter(study=planted, did="webhook"):
        shows_nobody(event.words.encode(), "an event")


@pytest.mark.nightly("every command that writes; the test above has one report and one export")
def test_no_command_notebook_certificate_or_webhook_names_anybody(tmp_path, capsys):
    planted = plant(prompts=30)  # as many as *Why* needs
    run = planted.runs.get()
    anchors = keep.keep(
        study=planted, images=list(planted.images.values_list("pk", flat=True)), of=60, seed=0
    )
    AnchorScoring.objects.create(
        study=planted, run=run, anchors=anchors, judge="some-judge", state="done", scores=[]
    )
    hook = Webhook.objects.create(
        study=planted, address="https://hook.example/x", since=timezone.now() - timedelta(days=1)
    )
    refused, texts_n = [], 0
    for given in _commands(planted.slug, tmp_path):
        try:
            call_command(*given)
        except CommandError as error:
            refused.append((given[0], str(error)))
        shown = capsys.readouterr()
        shows_nobody((shown.out + shown.err).encode(), " ".join(given))
        texts_n += 1
    for file in filter(Path.is_file, tmp_path.rglob("*")):
        shows_nobody(str(file.relative_to(tmp_path)).encode(), file.name)
        shows_nobody(file.read_bytes(), file.name)
        if file.suffix == ".parquet":
            shows_nobody(str(pyarrow.parquet.read_table(file).to_pylist()).encode(), file.name)
        texts_n += 1
    # Layouts that this study has nothing for, and a package that may be absent.
    assert {name for name, _ in refused} <= {"export", "log_report"}, refused
    messages.write_new()
    messages.test(hook)
    bodies = [message.payload | message.body for message in hook.messages.all()]
    assert len(bodies) >= 2
    shows_nobody(json.dumps(bodies).encode(), "webhook")
    report = jurybox.Report(Report.objects.filter(study=planted).first().body)
    tables = [getattr(report, name) for name in dir(report) if not name.startswith("_")]
    shown = [report._repr_html_(), *map(repr, tables)]
    shown += [table._repr_html_() for table in tables if isinstance(table, jurybox.rows.Rows)]
    for text in shown:
        shows_nobody(text.encode(), "notebook")
    texts_n += len(shown)
    with capsys.disabled():
        print(f"\n{texts_n} texts of commands, files and notebooks: nobody is named")

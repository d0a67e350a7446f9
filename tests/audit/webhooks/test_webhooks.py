"""Webhooks: what is told, how it is signed, where it may go, and what becomes of it when it does not arrive."""

import hashlib
import hmac
import json
import socket
from datetime import date, timedelta
from ipaddress import ip_network

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotations.errors import Refused
from annotations.jobs import run as run_job
from annotations.jobs import waiting
from annotations.models import Event, Study
from annotations.studies import deletion
from audit import tasks
from audit.models import Report, Webhook, WebhookMessage
from audit.webhooks import address, messages, send, set_up
from judges.models import MadePicture, MadeScore, Run
from judges.runs import lifecycle
from tests import making
from tests.receiver import listening

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def called(monkeypatch):
    """The jobs for which a worker was called."""
    called = []
    monkeypatch.setattr("judges.tasks.send", lambda task, pk: called.append(pk) or True)
    return called


def webhooks_task():
    """And what the workers do that look for work."""
    tasks.webhooks_task()
    for job in waiting():
        run_job(job.pk)


@pytest.fixture
def receiver(settings):
    settings.WEBHOOK_NETWORKS = [ip_network("127.0.0.0/8")]
    with listening() as server:
        yield server


@pytest.fixture
def secret(study, receiver):
    return set_up.set_webhook(study=study, url=receiver.address)


def report(study, **alarms):
    judges = {name: {"alarm": alarm, "title": name} for name, alarm in alarms.items()}
    return Report.objects.create(
        study=study,
        body={},
        summary={"judges": judges, "sentence": "All is well."},
        data="d" * 64,
        seconds=0,
    )


def told(receiver):
    return [json.loads(body) for _, _, body in receiver.got]


def said(study):
    events = Event.objects.filter(study=study, did="webhook").order_by("pk")
    return list(events.values_list("words", flat=True))


def later():
    """The time for the next try has come."""
    WebhookMessage.objects.update(due_at=timezone.now() - timedelta(seconds=1))


def test_a_new_report_is_told_once_with_a_signature_that_can_be_checked(study, receiver, secret):
    made = report(study, clip=False)
    webhooks_task()
    webhooks_task()
    ((path, headers, body),) = receiver.got
    assert path == "/hook?team=7"
    assert headers["Host"] == f"127.0.0.1:{receiver.server_port}"
    assert headers["Jurybox-Event"] == "report_ready"
    # As a receiver would do it, with nothing of ours.
    moment, given = (part.partition("=")[2] for part in headers["Jurybox-Signature"].split(","))
    expected = hmac.new(secret.encode(), f"{moment}.".encode() + body, hashlib.sha256).hexdigest()
    assert hmac.compare_digest(given, expected)
    assert abs(int(moment) - timezone.now().timestamp()) < 300
    content = json.loads(body)
    assert (content["event"], content["study"], content["report"]["id"]) == (
        "report_ready",
        "shapes",
        made.pk,
    )
    assert said(study)[-1] == f"sent “report ready” to http://127.0.0.1:{receiver.server_port}: 200"
    assert "team=7" not in " ".join(said(study))


def test_a_worker_is_called_as_soon_as_there_is_something_to_tell(study, secret, called):
    tasks.webhooks_task()
    assert called == []
    report(study)
    tasks.webhooks_task()
    assert called == [WebhookMessage.objects.get().pk]


def test_another_body_or_another_secret_has_another_signature(study, secret):
    one = send.signature(secret, b"{}", 1)
    assert one != send.signature(secret, b"{ }", 1)
    assert one != send.signature(secret, b"{}", 2)
    assert one != send.signature("whsec_other", b"{}", 1)


def test_an_alarm_is_told_when_it_rings_and_not_while_it_goes_on(study, receiver, secret):
    report(study, clip=False, vqa=False)
    messages.write_new()
    report(study, clip=True, vqa=False)
    report(study, clip=True, vqa=True)
    webhooks_task()
    rung = [one["judge"] for one in told(receiver) if one["event"] == "alarm_rung"]
    assert sorted(rung) == ["clip", "vqa"]
    report(study, clip=True, vqa=False)
    webhooks_task()
    report(study, clip=True, vqa=True)
    webhooks_task()
    rung = [one["judge"] for one in told(receiver) if one["event"] == "alarm_rung"]
    assert sorted(rung) == ["clip", "vqa", "vqa"]


def test_a_run_that_stops_is_told_with_its_reason_and_again_when_it_stops_again(
    study, receiver, secret
):
    run = making.scores(study, {"early-0": 0.5})
    for reason in ("The server is away.", "The disk is full."):
        Run.objects.filter(pk=run.pk).update(state=Run.State.RUNNING)
        lifecycle.stop_run(run=run, reason=reason)
        webhooks_task()
        webhooks_task()
    assert [(one["event"], one["judge"], one["reason"]) for one in told(receiver)] == [
        ("run_failed", "some-judge", "The server is away."),
        ("run_failed", "some-judge", "The disk is full."),
    ]


def test_what_had_happened_before_and_in_other_studies_is_not_told(study, receiver):
    report(study, clip=True)
    run = making.scores(study, {"early-0": 0.5})
    Run.objects.filter(pk=run.pk).update(
        state="stopped", reason="gone", finished_at=timezone.now() - timedelta(hours=1)
    )
    set_up.set_webhook(study=study, url=receiver.address)
    report(making.study("other"), clip=True)
    webhooks_task()
    assert receiver.got == []


def test_a_report_with_options_of_somebodys_own_is_not_told(study, receiver, secret):
    made = report(study, clip=True)
    Report.objects.filter(pk=made.pk).update(options={"seed": 3})
    webhooks_task()
    assert receiver.got == []


def test_what_does_not_arrive_is_tried_ever_later_and_then_given_up(study, receiver, secret):
    receiver.status = 500
    report(study)
    waits = []
    for _ in range(send.TRIES):
        before = timezone.now()
        webhooks_task()
        message = WebhookMessage.objects.get()
        waits.append(round((message.due_at - before).total_seconds() / 60))
        webhooks_task()
        later()
    assert waits[:4] == [1, 5, 30, 120]
    assert len(receiver.got) == send.TRIES == 5
    message = WebhookMessage.objects.get()
    assert message.state == "given up"
    assert message.reason.endswith(f"http://127.0.0.1:{receiver.server_port} answered 500.")
    assert said(study)[-1].startswith("gave up the webhook “report ready”, tried 5 times: ")
    receiver.status = 204
    assert set_up.try_again(study=study) == 1
    webhooks_task()
    assert WebhookMessage.objects.get().state == "done"


def test_a_receiver_that_comes_back_gets_the_same_message(study, receiver, secret):
    receiver.status = 503
    report(study)
    webhooks_task()
    receiver.status = 200
    later()
    webhooks_task()
    first, second = (headers["Jurybox-Delivery"] for _, headers, _ in receiver.got)
    assert first == second
    assert receiver.got[0][2] == receiver.got[1][2]


def test_no_redirect_is_followed(study, receiver, secret):
    receiver.status = 302
    report(study)
    webhooks_task()
    assert [path for path, _, _ in receiver.got] == ["/hook?team=7"]
    assert WebhookMessage.objects.get().reason.endswith("answered 302.")


def test_a_message_that_another_worker_holds_is_not_sent_twice(study, receiver, secret):
    report(study)
    messages.write_new()
    pk = WebhookMessage.objects.get().pk
    assert send.KIND.lease.claim(pk)
    assert run_job(pk) is False
    assert receiver.got == []


@pytest.mark.parametrize(
    "where",
    [
        *("127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1"),
        *("0.0.0.0", "224.0.0.1", "240.0.0.1", "::1", "fe80::1", "fd00::1", "::ffff:127.0.0.1"),
        *("::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::"),
        # ISATAP in somebody's public network: its last half says which machine behind the wall.
        *("2607:f8b0::5efe:a00:1", "2607:f8b0::200:5efe:7f00:1", "fec0::1", "192.0.0.1"),
        *("192.0.0.171", "192.88.99.1", "3fff::1", "3fff:fff::1", "::93.184.216.34", "ff02::1"),
    ],
)
def test_no_address_behind_the_firewall_is_asked(study, monkeypatch, where):
    """Also not as one of several addresses of a name."""
    for found in ([where], ["93.184.216.34", where]):
        names = [(2, 1, 6, "", (one, 443)) for one in found]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, names=names, **__: names)
        with pytest.raises(Refused, match="which is no public address"):
            set_up.set_webhook(study=study, url="https://hooks.example.org/x")
    assert not Webhook.objects.exists()


@pytest.mark.parametrize("where", ["192.0.0.9", "192.0.0.10", "93.184.216.34", "2606:2800::1"])
def test_a_public_address_is_asked(monkeypatch, where):
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [(2, 1, 6, "", (where, 443))])
    assert address.resolved("https://hooks.example.org/x").ip == where


def test_only_the_network_that_the_operator_names_is_allowed(settings):
    settings.WEBHOOK_NETWORKS = [ip_network("127.0.0.1/32")]
    assert address.resolved("http://127.0.0.1:8000/x").ip == "127.0.0.1"
    assert address.resolved("http://[::ffff:127.0.0.1]/x").host == "::ffff:127.0.0.1"
    with pytest.raises(Refused, match="no public address"):
        address.resolved("http://127.0.0.2:8000/x")


def test_a_name_that_changes_its_meaning_is_checked_when_it_is_asked(
    study, receiver, secret, settings, monkeypatch
):
    """What was allowed as the webhook was set may lead behind the firewall when it is sent."""
    report(study)
    settings.WEBHOOK_NETWORKS = []
    webhooks_task()
    assert receiver.got == []
    assert "no public address" in WebhookMessage.objects.get().reason


def test_the_connection_goes_to_the_address_that_was_checked(
    study, receiver, settings, monkeypatch
):
    asked = []

    def once(host, port, **more):
        asked.append(host)
        assert asked == ["hooks.example.org"], "the name was asked a second time"
        return [(2, 1, 6, "", ("127.0.0.1", port))]

    url = f"http://hooks.example.org:{receiver.server_port}/x"
    hook = Webhook.objects.create(study=study, address=url, salt="a", since=timezone.now())
    message = messages.test(hook)
    real = socket.getaddrinfo
    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda host, port, *a, **k: (
            real(host, port, *a, **k) if host == "127.0.0.1" else once(host, port, **k)
        ),
    )
    assert run_job(message.pk)
    assert asked == ["hooks.example.org"]
    ((_, headers, _),) = receiver.got
    assert headers["Host"] == f"hooks.example.org:{receiver.server_port}"


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("ftp://example.org/x", "begins with https"),
        ("https:///x", "begins with https"),
        ("https://user:pass@example.org/x", "without a name, a password"),
        ("https://example.org/x#y", "without a name, a password"),
        ("https://exämple.org/", "plain characters"),
        ("https://example.org/" + "x" * 600, "at most 500"),
        ("https://example.org:99999/", "This is no address"),
        ("http://93.184.216.34/x", "A public address begins with https"),
    ],
)
def test_what_is_no_address_is_refused_with_words(study, url, words):
    with pytest.raises(Refused, match=words):
        set_up.set_webhook(study=study, url=url)


def test_another_address_has_another_secret_and_gets_nothing_old(study, receiver, secret):
    receiver.status = 500
    report(study)
    webhooks_task()
    again = set_up.set_webhook(study=study, url=receiver.address)
    assert again != secret
    later()
    webhooks_task()
    assert len(receiver.got) == 1


def test_a_failure_whose_message_was_cleared_away_is_not_told_again(study, receiver, secret):
    report(study)
    run = making.scores(study, {"early-0": 0.5})
    Run.objects.filter(pk=run.pk).update(state=Run.State.RUNNING)
    lifecycle.stop_run(run=run, reason="The disk is full.")
    webhooks_task()
    WebhookMessage.objects.update(created_at=timezone.now() - timedelta(days=31))
    webhooks_task()
    webhooks_task()
    assert [one["event"] for one in told(receiver)] == ["report_ready", "run_failed"]
    assert [message.event for message in WebhookMessage.objects.all()] == ["run_failed"]


def test_the_secret_is_not_in_the_database(study, receiver, secret, settings):
    hook = Webhook.objects.get()
    stored = json.dumps([hook.address, hook.salt, str(hook.since)])
    assert secret not in stored
    settings.SECRET_KEY = "another" * 8
    assert send.secret_of(hook) != secret


def test_the_command_sets_shows_tests_and_removes(study, receiver, capsys):
    call_command("webhook", "shapes", "set", receiver.address)
    printed = capsys.readouterr().out
    secret = send.secret_of(Webhook.objects.get())
    assert secret in printed
    call_command("webhook", "shapes", "test")
    assert "It arrived." in capsys.readouterr().out
    call_command("webhook", "shapes", "show")
    printed = capsys.readouterr().out
    assert "test: sent" in printed
    assert secret not in printed
    assert "team=7" not in printed
    receiver.status = 400
    with pytest.raises(CommandError, match="did not arrive.*answered 400"):
        call_command("webhook", "shapes", "test")
    call_command("webhook", "shapes", "remove")
    with pytest.raises(CommandError, match="has no webhook"):
        call_command("webhook", "shapes", "show")


def test_a_study_that_is_deleted_takes_its_webhook_along(study, receiver, secret):
    report(study)
    messages.write_new()
    Study.objects.get(pk=study.pk).delete()
    assert not Webhook.objects.exists()
    assert not WebhookMessage.objects.exists()
    assert {Webhook, Report} <= {child for child, _ in deletion._children(Study)}


def test_many_studies_without_a_webhook_cost_no_query_each(
    study, receiver, secret, django_assert_num_queries
):
    webhooks_task()
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as few:
        webhooks_task()
    for number in range(5):
        making.study(f"more-{number}", prompts=1)
    with django_assert_num_queries(len(few)):
        webhooks_task()


def holding(study, generators, **verdicts):
    judges = {
        name: {"alarm": False, "title": name, "verdict": verdict}
        for name, verdict in verdicts.items()
    }
    return Report.objects.create(
        study=study,
        body={"generators": [{"name": name} for name in generators]},
        summary={"judges": judges, "sentence": "All is well."},
        data="d" * 64,
        seconds=0,
    )


def test_another_verdict_is_told_with_the_number_of_new_generators(study, receiver, secret):
    trust, needs = {"kind": "trust"}, {"kind": "not yet", "needs": {"prompts": 20}}
    holding(study, ["ancient"], clip=trust, vqa=needs)
    webhooks_task()
    # Another number of prompts is no other verdict.
    holding(study, ["ancient", "fresh"], clip=needs, vqa=needs | {"needs": {"prompts": 19}})
    webhooks_task()
    (changed,) = (one for one in told(receiver) if one["event"] == "verdict_changed")
    assert (changed["judge"], changed["before"], changed["now"], changed["new_generators"]) == (
        *("clip", "Trust", "Not yet"),
        1,
    )
    assert "ancient" not in json.dumps(changed)


def measured(study, generator):
    """A judge's run that was measured on one picture made of an image of this generator."""
    run = making.scores(study, {image.key: 1.0 for image in study.images.all()}, name="rule")
    measure(run, study.images.filter(generator__name=generator).first())
    return run


def measure(run, image):
    picture = MadePicture.objects.create(image=image, change="blur", maker="1", sha256="0" * 64)
    MadeScore.objects.create(picture=picture, judge=run.judge, value=1)


def released(study, **days):
    for name, day in days.items():
        study.generators.update_or_create(name=name, defaults={"release_date": day})


def expired(receiver):
    return [
        (one["judge"], one["reason"], one["until"])
        for one in told(receiver)
        if one["event"] == "certificate_expired"
    ]


def test_a_card_that_expired_is_told_once_and_again_after_the_next_measurement(
    study, receiver, secret, monkeypatch
):
    released(study, early=date(2024, 1, 31), late=date(2025, 6, 1))
    run = measured(study, "early")
    monkeypatch.setattr(timezone, "localdate", lambda: date(2025, 1, 31))
    webhooks_task()
    assert expired(receiver) == []
    monkeypatch.setattr(timezone, "localdate", lambda: date(2025, 2, 1))
    webhooks_task()
    webhooks_task()
    first = ("rule", "it was valid until 2025-01-31", "2025-01-31")
    assert expired(receiver) == [first]
    # Measured on a newer one it holds, until that one is a year old.
    measure(run, study.images.filter(generator__name="late").first())
    webhooks_task()
    assert expired(receiver) == [first]
    monkeypatch.setattr(timezone, "localdate", lambda: date(2026, 6, 2))
    webhooks_task()
    assert expired(receiver) == [first, ("rule", "it was valid until 2026-06-01", "2026-06-01")]


def test_newer_generators_and_an_alarm_end_a_card_too(study, receiver, secret, monkeypatch):
    monkeypatch.setattr(timezone, "localdate", lambda: date(2025, 6, 2))
    released(study, early=date(2025, 1, 1), late=date(2025, 6, 1))
    measured(study, "early")
    released(study, b=date(2025, 6, 1), c=date(2025, 6, 1))
    webhooks_task()
    assert expired(receiver) == []
    released(study, d=date(2025, 6, 1))
    webhooks_task()
    newer = "4 generators are newer than those it was measured on"
    assert expired(receiver) == [("rule", newer, "2026-01-01")]
    WebhookMessage.objects.filter(payload__event="certificate_expired").delete()
    report(study, rule=True)
    webhooks_task()
    alarm = "an alarm says that this judge drifts"
    assert expired(receiver)[1:] == [("rule", alarm, "2026-01-01")]


def test_a_judge_that_was_never_measured_has_no_card_that_expires(study, receiver, secret):
    released(study, early=date(2001, 1, 1), late=date(2001, 1, 1))
    making.scores(study, {"early-0": 1.0}, name="rule")
    webhooks_task()
    assert expired(receiver) == []


@pytest.mark.parametrize(
    "event",
    ["report_ready", "alarm_rung", "verdict_changed", "certificate_expired", "run_failed", "test"],
)
def test_slack_and_teams_get_a_sentence_in_their_own_form(event):
    body = {
        "event": event,
        "title": "Cats & <@channel>",
        "judge": "clip",
        "reason": "The disk is full.",
        "before": "Trust",
        "now": "Trust until 2024-05",
        "new_generators": 2,
        "report": {"sentence": "0 of 2 judges can be trusted."},
    }
    words = send.sentence(body)
    slack = send.shape_for("hooks.slack.com", body)
    assert slack == {"text": words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")}
    teams = send.shape_for("prod-1.westeurope.logic.azure.com", body)
    assert teams["attachments"][0]["content"]["body"][0]["inlines"][0]["text"] == words
    assert send.shape_for("hooks.slack.com.example.org", body) is body

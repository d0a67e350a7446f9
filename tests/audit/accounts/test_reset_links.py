"""Links to set a new password: for whom, by whom, how often; and what they never tell or open."""

from __future__ import annotations

import io
import re
from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotations.errors import NotYours, Refused
from annotations.models import Event, Membership
from annotations.studies import settings as study_settings
from audit.account_pages import reset
from audit.accounts import one_time_codes, reset_links, second_factor
from audit.models import ApiToken
from tests import making

pytestmark = pytest.mark.django_db
PASSWORD, NEW = "a-long-and-quiet-river", "an-even-longer-river"


@pytest.fixture
def dora(study):
    """Labels in the study, and has a password and an address."""
    member = making.person(study, "dora")
    member.user.email = "dora@lab.example"
    member.user.set_password(PASSWORD)
    member.user.save()
    return member


@pytest.fixture
def mails(settings, monkeypatch):
    """Mail is set up, and a worker is at hand."""
    settings.SENDS_MAIL = True
    monkeypatch.setattr(reset, "send", lambda task, *args: task(*args))
    return mail.outbox


def set_password(path: str, password: str = NEW, client: Client | None = None):
    client = client or Client()
    form = client.get(path, follow=True)
    given = {"new_password1": password, "new_password2": password}
    return client.post(form.request["PATH_INFO"], given)


def can_log_in(password: str, name: str = "dora") -> bool:
    return Client().login(username=name, password=password)


def test_a_link_sets_the_password_once_and_logs_nobody_in(dora):
    path = reset_links.make(user=dora.user)
    browser = Client()
    assert set_password(path, client=browser).headers["Location"] == reverse("login")
    assert can_log_in(NEW) and not can_log_in(PASSWORD)
    assert browser.get("/account/").status_code == 302, "they still have to log in"
    assert "does not work any more" in Client().get(path, follow=True).text


def test_a_used_link_ends_every_session_and_token(dora):
    elsewhere = Client()
    elsewhere.login(username="dora", password=PASSWORD)
    making.token(dora.user)
    dora.user.refresh_from_db()
    set_password(reset_links.make(user=dora.user))
    assert elsewhere.get("/account/").status_code == 302
    assert not ApiToken.objects.filter(user=dora.user).exists()


def test_a_link_ends_after_a_day(dora, monkeypatch):
    from django.contrib.auth.tokens import PasswordResetTokenGenerator

    path = reset_links.make(user=dora.user)
    now = PasswordResetTokenGenerator()._now()
    for hours, works in ((23, True), (25, False)):
        monkeypatch.setattr(
            PasswordResetTokenGenerator, "_now", lambda self, h=hours: now + timedelta(hours=h)
        )
        assert ("Set the password" in Client().get(path, follow=True).text) is works


def test_a_link_does_not_get_around_the_second_factor(dora):
    secret = second_factor.begin(dora.user)
    step = next(one_time_codes.steps_around(timezone.now().timestamp()))
    second_factor.confirm(dora.user, one_time_codes.code_at(secret, step))
    set_password(reset_links.make(user=dora.user))
    browser = Client()
    answer = browser.post("/login/", {"username": "dora", "password": NEW})
    assert answer.headers["Location"] == "/login/code/"
    assert browser.get("/account/").status_code == 302


def test_a_link_for_a_closed_account_or_one_without_a_password_is_refused(dora):
    User.objects.filter(pk=dora.user.pk).update(is_active=False)
    dora.user.refresh_from_db()
    with pytest.raises(Refused, match="closed"):
        reset_links.make(user=dora.user)
    dora.user.is_active = True
    dora.user.set_unusable_password()
    with pytest.raises(Refused, match="no password here"):
        reset_links.make(user=dora.user)


def test_an_owner_makes_one_for_a_person_of_the_study_and_it_leaves_events(as_alice, dora, study):
    page = as_alice.post(reverse("reset-link", args=[study.slug, dora.pk]))
    assert page.headers["Cache-Control"].count("no-store")
    link = page.context["link"]
    assert link.startswith("http://testserver/reset/") and link in page.text
    set_password(link.removeprefix("http://testserver"))
    assert can_log_in(NEW)
    told = Event.objects.filter(did="reset link").order_by("pk")
    assert [(e.by.username, e.study, e.account or e.about) for e in told] == [
        ("alice", None, dora.user),
        ("alice", study, dora),
    ]
    assert Event.objects.filter(words="set a new password by a link", by=dora.user).exists()


def make_as(alice: Membership, member: Membership) -> str:
    return reset_links.make(user=member.user, by=alice.user, member=member)


@pytest.mark.parametrize("rights", ["is_superuser", "is_staff"])
def test_an_owner_makes_none_for_who_runs_the_installation(alice, dora, rights):
    User.objects.filter(pk=dora.user.pk).update(**{rights: True})
    dora.user.refresh_from_db()
    with pytest.raises(NotYours):
        make_as(alice, dora)


def test_an_owner_makes_none_for_who_is_in_a_study_of_others(alice, dora):
    elsewhere = making.study("elsewhere", prompts=1)
    there = Membership.objects.create(study=elsewhere, user=dora.user, name="dora")
    with pytest.raises(NotYours):
        make_as(alice, dora)
    Membership.objects.create(study=elsewhere, user=alice.user, name="alice", role="owner")
    assert make_as(alice, dora)
    there.delete()
    assert make_as(alice, dora)


def test_an_owner_makes_none_for_somebody_outside_the_study(as_alice, alice, study, dora):
    outside = making.person(making.study("elsewhere", prompts=1), "zoe")
    answer = as_alice.post(reverse("reset-link", args=[study.slug, outside.pk]))
    assert answer.status_code == 404
    with pytest.raises(NotYours):
        reset_links.make(user=outside.user, by=alice.user, member=dora)
    study_settings.remove(member=dora)
    assert as_alice.post(reverse("reset-link", args=[study.slug, dora.pk])).status_code == 400


def test_a_researcher_makes_none(client, study, dora):
    client.force_login(making.person(study, "rita", role="researcher").user)
    assert client.post(reverse("reset-link", args=[study.slug, dora.pk])).status_code == 403


def test_a_superuser_makes_one_for_anybody(client, study, dora):
    root = User.objects.create_superuser("root")
    Membership.objects.create(
        study=making.study("elsewhere", prompts=1), user=dora.user, name="dora"
    )
    client.force_login(root)
    assert client.post(reverse("reset-link", args=[study.slug, dora.pk])).status_code == 200


def ask(who: str, **more):
    return Client(**more).post(reverse("forgot"), {"who": who})


@pytest.mark.parametrize("who", ["dora", "DORA@lab.example"])
def test_a_link_comes_by_mail_and_works(dora, mails, who):
    ask(who)
    (letter,) = mails
    assert letter.to == ["dora@lab.example"] and "“dora”" in letter.body
    (link,) = [line for line in letter.body.split() if line.startswith("http://testserver/")]
    set_password(link.removeprefix("http://testserver"))
    assert can_log_in(NEW)


def test_the_answer_never_tells_whether_there_is_such_an_account(dora, mails, monkeypatch):
    User.objects.create_user("no-address", password=PASSWORD)
    User.objects.create_user("closed", "c@lab.example", PASSWORD, is_active=False)
    called = []
    monkeypatch.setattr(reset, "send", lambda task, *args: called.append(task.name))
    names = ["dora", "nobody", "no-address", "closed", "c@lab.example", ""]
    pages = [ask(name, REMOTE_ADDR=f"203.0.113.{n}").text for n, name in enumerate(names)]
    answers = {re.sub(r"\d{32,}", "", page) for page in pages}  # without the form's token
    assert len(answers) == 1
    assert len(called) == len(names), "a worker is called for every question alike"


def test_nobody_is_flooded_with_mail_and_no_network_may_ask_without_end(dora, mails):
    for number in range(20):
        ask("dora", REMOTE_ADDR=f"203.0.113.{number}")
    assert len(mails) == reset_links.MAILS.free
    answers = [ask(f"name-{n}", REMOTE_ADDR="198.51.100.1").status_code for n in range(12)]
    assert answers == [200] * reset_links.QUESTIONS.free + [429] * 2


def test_without_mail_the_page_says_who_makes_a_link(client, dora):
    page = client.get(reverse("forgot")).text
    assert "This installation sends no mail." in page and "manage.py reset_link NAME" in page
    assert client.post(reverse("forgot"), {"who": "dora"}).status_code == 200
    assert mail.outbox == []
    assert reverse("forgot") in client.get(reverse("login")).text


def test_the_command_prints_a_link_that_works(dora):
    out = io.StringIO()
    call_command("reset_link", "dora", "--address", "https://jury.example/", stdout=out)
    link = out.getvalue().strip()
    assert link.startswith("https://jury.example/reset/")
    set_password(link.removeprefix("https://jury.example"))
    assert can_log_in(NEW)
    assert Event.objects.get(did="reset link").by_command
    with pytest.raises(CommandError, match="There is no account “nobody”"):
        call_command("reset_link", "nobody")


def test_without_passwords_there_are_no_links(client, dora, settings):
    path = reset_links.make(user=dora.user)
    settings.OIDC_ONLY = True
    assert client.get(reverse("forgot")).status_code == 404
    assert client.get(path).status_code == 404
    with pytest.raises(Refused):
        reset_links.make(user=dora.user)


def change_email(client, email: str, password: str = PASSWORD):
    return client.post(reverse("account-email"), {"email": email, "password": password})


def test_the_address_changes_with_the_password_only(client, dora):
    client.force_login(dora.user)
    page = change_email(client, "new@lab.example", "wrong")
    assert page.status_code == 422
    assert "The password is not right." in page.text and 'value="new@lab.example"' in page.text
    page = change_email(client, "new at lab")
    assert page.status_code == 422
    assert "Enter a valid email address" in page.text and 'value="new at lab"' in page.text
    assert change_email(client, "new@lab.example").status_code == 302
    dora.user.refresh_from_db()
    assert dora.user.email == "new@lab.example"
    assert Event.objects.filter(words="changed the e-mail address", by=dora.user).count() == 1
    change_email(client, "")
    assert get_user_model().objects.get(pk=dora.user.pk).email == ""


def test_a_link_to_the_old_address_is_dead_once_the_address_has_changed(client, dora):
    path = reset_links.make(user=dora.user)
    client.force_login(dora.user)
    change_email(client, "new@lab.example")
    assert "does not work any more" in Client().get(path, follow=True).text

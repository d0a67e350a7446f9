"""The page behind an invitation: it makes an account, and does not tell which names exist."""

import re
from urllib.parse import unquote

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import MD5PasswordHasher
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotations.studies import invitations

pytestmark = pytest.mark.django_db
PASSWORD = "a-long-and-quiet-river"
OTHER = "another-river-without-noise"


@pytest.fixture
def taken(db):
    """An account of somebody else, who is not in the study."""
    return get_user_model().objects.create_user("greta", password=PASSWORD)


def door(study, **given):
    link = invitations.invite(study=study, **given)
    return reverse("join", args=[invitations.token_of(link)])


def form(name, password=OTHER, again=None):
    return {"username": name, "password1": password, "password2": again or password}


def test_somebody_without_an_account_makes_one_and_is_in(client, study):
    answer = client.post(door(study, role="researcher"), form("dora", PASSWORD))
    assert answer.headers["Location"] == reverse("label", args=[study.slug])
    member = study.memberships.get()
    assert (member.user.username, member.role) == ("dora", "researcher")
    assert client.login(username="dora", password=PASSWORD)


# Other on every answer, whatever is asked.
OF_THE_MOMENT = {"Expires", "Date", "Last-Modified", "X-Request-ID", "Content-Length"}


def shown(client, address, data):
    """What a visitor can see of the answer."""
    browser = type(client)()
    answer = browser.post(address, data)
    headers = {key: value for key, value in answer.headers.items() if key not in OF_THE_MOMENT}
    body = re.sub(r"[0-9]{32,}", "TOKEN", answer.content.decode())
    return answer.status_code, headers, body.replace(data["username"], "NAME"), set(browser.cookies)


@pytest.mark.parametrize(
    "wrong",
    [
        {"password2": "a-river-that-differs"},
        {"password1": "short", "password2": "short"},
        {"password1": "", "password2": ""},
    ],
)
def test_a_form_with_a_mistake_is_answered_alike_for_free_and_taken_names(
    client, study, taken, wrong
):
    address = door(study)
    answers = [shown(client, address, {**form(name), **wrong}) for name in ("ferdi", "greta")]
    assert answers[0] == answers[1]
    assert answers[0][0] == 200
    assert not study.memberships.exists()


@pytest.mark.parametrize("name", ["greta", "GRETA"])
def test_a_whole_form_gets_the_same_answer_for_free_and_taken_names(client, study, taken, name):
    address = door(study, uses=2)
    free, other = (shown(client, address, form(given)) for given in ("ferdi", name))
    assert free == other
    assert free[0] == 302


def test_a_taken_name_gets_a_number_and_the_person_is_told_their_name(client, study, taken):
    page = client.post(door(study), form("Greta"), follow=True).content.decode()
    assert "Your account is “Greta-2”" in page
    member = study.memberships.get()
    assert member.user.username == "Greta-2"
    assert member.user.check_password(OTHER)
    taken.refresh_from_db()
    assert taken.check_password(PASSWORD)


def test_each_try_of_a_name_uses_the_link_up(client, study, taken):
    address = door(study)
    assert type(client)().post(address, form("greta")).status_code == 302
    for name in ("greta", "ferdi"):
        answer = type(client)().post(address, form(name))
        assert answer.status_code == 409
        assert "used up" in answer.content.decode()
    assert get_user_model().objects.count() == 2


def test_whoever_gives_the_right_password_is_sent_to_the_log_in_and_back(client, study, taken):
    """The log-in may ask for more than a password."""
    address = door(study)
    answer = client.post(address, form("greta", PASSWORD))
    assert unquote(answer.headers["Location"]) == f"{reverse('login')}?next={address}"
    assert "_auth_user_id" not in client.session
    assert get_user_model().objects.count() == 1
    assert not study.memberships.exists()
    assert study.invitations.get().used == 0


def test_free_and_taken_names_cost_the_same_work(client, study, taken, monkeypatch):
    """Passwords hashed, and queries: what a clock would see."""
    hashed = []
    encode = MD5PasswordHasher.encode
    monkeypatch.setattr(
        MD5PasswordHasher, "encode", lambda *given: hashed.append(1) or encode(*given)
    )

    def work(name):
        address, browser = door(study), type(client)()
        hashed.clear()
        with CaptureQueriesContext(connection) as queries:
            browser.post(address, form(name))
        return len(hashed), len(queries)

    work("warm")
    (free_hashes, free_queries), (other_hashes, other_queries) = work("ferdi"), work("greta")
    assert free_hashes == other_hashes == 2
    # A look more for the number after the name; a count less to take back.
    assert abs(free_queries - other_queries) <= 3


def test_guesses_through_the_form_count_as_tries_to_log_in(client, study, taken):
    """The form checks the password as the log-in does, so both share one limit."""
    for _ in range(8):
        type(client)().post(door(study), form("greta"))
    answer = client.post(reverse("login"), {"username": "greta", "password": PASSWORD})
    assert answer.status_code == 200
    assert "wait" in answer.content.decode()


def test_a_class_that_joins_from_one_room_is_not_locked_out(client, study):
    link = invitations.invite(study=study, uses=60)
    address = reverse("join", args=[invitations.token_of(link)])
    for number in range(60):
        type(client)().post(address, form(f"pupil-{number}"))
    assert study.memberships.count() == 60
    given = {"username": "pupil-59", "password": OTHER}
    assert type(client)().post(reverse("login"), given).status_code == 302


@pytest.mark.parametrize("name", ["a b", "<script>", "x" * 151, "", "a\0b"])
def test_a_name_that_no_account_can_have_is_refused_in_words(client, study, name):
    answer = client.post(door(study), form(name))
    assert answer.status_code == 200
    assert "Name:" in answer.content.decode()
    assert not study.memberships.exists()


def test_a_name_as_long_as_it_may_be_has_room_for_a_number(client, study):
    name = "x" * 150
    get_user_model().objects.create(username=name)
    client.post(door(study), form(name))
    assert study.memberships.get().user.username == "x" * 148 + "-2"

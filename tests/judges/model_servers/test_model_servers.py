"""A model server is named by an administrator on a page, tried at once, and asked like any judge."""

import socket

import pytest
from django.urls import reverse

from judges import servers
from judges.model_servers import add, trial
from judges.models import ModelServer, Run, ServerUse
from judges.runs import score_chunk
from judges.runs.fit import StudyPrompts
from jurybox_judging import catalogue
from jurybox_judging.errors import EngineRefused, JudgeRefused
from tests import making
from tests.judging.engines.openai_stand_in import Reply, spoken, standing_in, told

pytestmark = pytest.mark.django_db
KEY = "sk-never-to-be-seen"


def sees_red(asked, before):
    """A model that can see: it says yes with 0.9, with or without a list of tokens."""
    if asked.body.get("logprobs"):
        return told(("Yes", 0.9), ("No", 0.1))
    return spoken("Yes.")


def says_no_tokens(asked, before):
    return (
        Reply({"error": {"message": "logprobs are not supported"}}, status=400)
        if asked.body.get("logprobs")
        else spoken("Yes.")
    )


@pytest.fixture
def as_admin(client, alice, settings):
    settings.JUDGE_SERVERS = ["loopback"]
    alice.user.is_superuser = True
    alice.user.save()
    client.force_login(alice.user)
    return client


def page_of(study):
    return reverse("model-servers", args=[study.slug])


def named(url, **more):
    server = add.add_server(address=url, model="seer", **more)
    return trial.try_server(server=server)


def test_a_server_is_added_and_tried_at_once_with_a_drawn_picture(as_admin, study):
    with standing_in(sees_red) as there:
        sent = {"address": there.url, "model": "seer", "key": KEY}
        assert as_admin.post(page_of(study), sent).status_code == 302
        page = as_admin.get(page_of(study)).content.decode()
    assert all(one.headers["Authorization"] == f"Bearer {KEY}" for one in there.asked)
    assert there.asked[0].picture.startswith("data:image/png")
    assert "Ready" in page and "VQAScore (a server&#x27;s model)" in page and "key stored" in page
    assert ModelServer.objects.get().trial["wrong"] == {"answers": "", "talk": ""}


def test_the_key_is_encrypted_and_no_page_shows_it(as_admin, study):
    with standing_in(lambda asked, before: Reply({"error": f"bad {KEY}"}, status=401)) as there:
        as_admin.post(page_of(study), {"address": there.url, "model": "seer", "key": KEY})
    server = ModelServer.objects.get()
    assert KEY not in server.locked_key and servers.open_key(server) == KEY
    assert KEY not in str(server.trial)
    page = as_admin.get(page_of(study)).content.decode()
    assert KEY not in page
    assert "answered with status 401" in page and "Not ready" in page


def test_a_key_that_another_secret_key_has_locked_is_a_sentence(settings):
    server = ModelServer(address="a", model="b", locked_key=servers.lock_key(KEY))
    settings.SECRET_KEY = "another"
    with pytest.raises(EngineRefused, match="SECRET_KEY has changed"):
        servers.open_key(server)


def test_judges_with_a_secret_key_of_their_own_open_what_the_web_server_locked(settings):
    old = ModelServer(address="a", model="b", locked_key=servers.lock_key(KEY))
    settings.MODEL_SERVER_KEY = "m" * 50
    new = ModelServer(address="a", model="b", locked_key=servers.lock_key(KEY))
    assert servers.open_key(old) == servers.open_key(new) == KEY
    settings.SECRET_KEY = "the judges' own"
    assert servers.open_key(new) == KEY
    with pytest.raises(EngineRefused, match="MODEL_SERVER_KEY or SECRET_KEY has changed"):
        servers.open_key(old)


def test_researchers_see_the_servers_and_change_none(as_alice, study, settings):
    settings.JUDGE_SERVERS = ["loopback"]
    server = add.add_server(address="http://127.0.0.1:9/v1", model="seer", key=KEY)
    page = as_alice.get(page_of(study)).content.decode()
    assert "seer" in page and KEY not in page and "Add and try" not in page
    sent = {"address": "http://127.0.0.1:9/v1", "model": "seer", "key": "mine"}
    assert as_alice.post(page_of(study), sent).status_code == 403
    for name in ("model-server-try", "model-server-remove"):
        address = reverse(name, args=[study.slug, server.pk])
        assert as_alice.post(address).status_code == 403
    assert servers.open_key(ModelServer.objects.get()) == KEY


def test_a_server_that_is_away_says_so_and_is_tried_again(as_admin, study):
    with standing_in(sees_red) as there:
        url = there.url
    server = named(url)
    assert "did not answer" in server.trial["wrong"]["talk"]
    page = as_admin.get(page_of(study)).content.decode()
    assert "did not answer" in page and "Try again" in page
    address = reverse("model-server-try", args=[study.slug, server.pk])
    assert as_admin.post(address).status_code == 302


def test_a_server_without_token_probabilities_gets_the_judges_that_talk(study, settings):
    settings.JUDGE_SERVERS = ["loopback"]
    with standing_in(says_no_tokens) as there:
        server = named(there.url)
    names = trial.judges_of(server)
    assert "dsg-server" in names and "vqa-score-server" not in names


def test_judges_of_a_server_that_cannot_score_stand_together_under_their_reason(as_admin, study):
    study.prompts.update(metadata={})
    with standing_in(sees_red) as there:
        server = named(there.url)
    page = as_admin.get(page_of(study)).content.decode()
    _, _, unable = page.partition("Cannot score this study (")
    names = {
        name
        for name, fit in StudyPrompts(study, 100).fits(trial.judges_of(server)).items()
        if fit.is_impossible
    }
    assert unable.startswith(f"{len(names)})")
    assert names == {name for name in catalogue.JUDGES if f"/{name}/" in unable}
    groups = unable.split('<section class="unable">')[1:]
    assert 1 < len(groups) < len(names)


def test_requests_time_and_cost_are_estimated_from_the_trial(study):
    server = ModelServer(
        address="a",
        model="b",
        price_in=1.0,
        price_out=2.0,
        trial={"wrong": {}, "seconds": 0.5, "tokens": [1000, 10]},
    )
    prompts = StudyPrompts(study, 1000)
    # One question for each of 8 images; two atoms each: 16.
    told_of = trial.estimate(server, prompts.fit("vqa-score-server"))
    assert told_of.requests == 8
    assert trial.estimate(server, prompts.fit("soft-tifa-gm-server")).requests == 16
    # 8 x 0.5 s, eight at a time; 8 x (1000 x 1 + 10 x 2) / 1,000,000.
    assert (told_of.seconds, told_of.cost) == (0.5, pytest.approx(0.00816))
    server.price_out = None
    assert trial.estimate(server, prompts.fit("vqa-score-server")).cost is None
    # Two of the four prompts stand for all.
    assert trial.estimate(server, StudyPrompts(study, 2).fit("vqa-score-server")).requests == 8


def test_a_judge_is_started_from_the_page_and_asks_this_server_with_its_key(as_admin, study):
    with standing_in(sees_red) as there:
        server = named(there.url, key=KEY)
        entry = trial.judges_of(server)["vqa-score-server"]
        options = trial.options_of(server, entry)
        sent = {"judge": "vqa-score-server", **{f"option:{k}": v for k, v in options.items()}}
        as_admin.post(reverse("run-start", args=[study.slug]), sent)
        run = Run.objects.get()
        score_chunk.work_off(run=run)
    run.refresh_from_db()
    assert (run.state, run.scored, run.failed) == ("finished", 8, 0), run.reason
    # It was told which server to ask, so one click cannot start it.
    page = as_admin.get(reverse("runs", args=[study.slug])).content.decode()
    assert 'id="start-vqa-score-server"' not in page
    assert there.asked[-1].headers["Authorization"] == f"Bearer {KEY}"
    assert KEY not in str(run.judge.facts) + str(run.judge.options)


def test_the_budget_of_a_server_is_held(study, settings):
    settings.JUDGE_SERVERS = ["loopback"]
    with standing_in(sees_red) as there:
        server = add.add_server(
            address=there.url, model="seer", prices=(1e5, 1e5), daily_budget=1.0
        )
        # The first reply is 11 tokens: 1.1. There is no second one.
        server = trial.try_server(server=server)
    assert len(there.asked) == 1
    assert ServerUse.objects.get().cost == pytest.approx(1.1)
    assert "budget for seer at" in server.trial["wrong"]["talk"]


def test_a_budget_without_prices_is_refused():
    with pytest.raises(JudgeRefused, match="needs both prices"):
        add.add_server(address="http://127.0.0.1:9/v1", model="seer", daily_budget=1.0)


def test_the_key_of_one_model_is_not_used_for_another(settings):
    settings.JUDGE_SERVERS = ["loopback"]
    add.add_server(address="http://127.0.0.1:9/v1", model="seer", key=KEY)
    parts = servers.check_server("http://127.0.0.1:9/v1")
    assert servers.secret_for(parts, "seer") == KEY
    assert servers.secret_for(parts, "another") == ""


@pytest.mark.parametrize(
    ("address", "ip", "words"),
    [
        ("https://inside.example/v1", "10.0.0.7", "is 10.0.0.7, which is no public address"),
        ("https://metadata.example/v1", "169.254.169.254", "no public address"),
        # Addresses of IPv6 that carry one behind the wall, and blocks that only look public.
        ("https://carried.example/v1", "2002:a00:1::1", "no public address"),
        ("https://carried.example/v1", "64:ff9b::10.0.0.1", "no public address"),
        ("https://carried.example/v1", "2606:2800::5efe:a00:1", "no public address"),
        ("https://site.example/v1", "fec0::1", "no public address"),
        ("https://relay.example/v1", "192.88.99.1", "no public address"),
        ("http://provider.example/v1", "93.184.216.34", "add the address to JUDGE_SERVERS"),
        ("https://name:secret@provider.example/v1", "93.184.216.34", "without a name"),
        ("ftp://provider.example", "93.184.216.34", "begins with http or https"),
        ("https://provider.example:99999/v1", "93.184.216.34", "is no address of a server"),
    ],
)
def test_addresses_behind_the_firewall_and_without_tls_are_for_the_settings(
    settings, monkeypatch, address, ip, words
):
    settings.JUDGE_SERVERS = []
    monkeypatch.setattr(socket, "getaddrinfo", lambda *a, **k: [(0, 0, 0, "", (ip, 443))])
    with pytest.raises(JudgeRefused, match=words):
        add.add_server(address=address, model="seer")
    assert not ModelServer.objects.exists()


def test_a_public_address_with_tls_may_be_asked_once_it_is_named(settings, monkeypatch):
    settings.JUDGE_SERVERS = []
    found = [(0, 0, 0, "", ("93.184.216.34", 443))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *a, **k: found)
    with pytest.raises(EngineRefused):
        servers.check_server("https://provider.example/v1")
    server = add.add_server(address="https://provider.example/v1/", model="seer")
    assert server.address == "https://provider.example/v1"
    servers.check_server("https://provider.example/v1")
    add.remove_server(server=server)
    with pytest.raises(EngineRefused):
        servers.check_server("https://provider.example/v1")


def test_what_was_typed_is_not_lost_where_it_is_refused(as_admin, study):
    sent = {"address": "nowhere", "model": "seer", "key": KEY, "price_in": "a lot"}
    answer = as_admin.post(page_of(study), sent)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "The price of tokens in is a number from 0 to a million, not “a lot”." in page
    assert 'value="nowhere"' in page and KEY not in page


def test_an_empty_key_keeps_the_one_that_is_there(settings):
    settings.JUDGE_SERVERS = ["loopback"]
    for key in (KEY, ""):
        add.add_server(address="http://127.0.0.1:9/v1", model="seer", key=key)
    assert servers.open_key(ModelServer.objects.get()) == KEY


def test_an_empty_page_of_runs_offers_ways_to_a_first_judge(as_alice, study):
    page = as_alice.get(reverse("runs", args=[study.slug])).content.decode()
    assert "Your first judge" in page
    for name in ("imports", "model-servers"):
        assert f'href="{reverse(name, args=[study.slug])}"' in page
    making.scores(study, {"early-0": True})
    page = as_alice.get(reverse("runs", args=[study.slug])).content.decode()
    assert "Your first judge" not in page

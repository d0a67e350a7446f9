"""A server asked over real HTTP: what it tells is read, what it cannot tell is no score."""

import base64
import io
import json
import logging
import math
import socket
import threading
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import httpx
import pytest
from PIL import Image

from judges.models import ServerUse
from jurybox_judging import ask_engine
from jurybox_judging.ask_engine import with_retries
from jurybox_judging.engines.openai_server import STEADY, OpenAIServer
from jurybox_judging.engines.shared.http_json import Server, retry_after
from jurybox_judging.errors import EngineRefused, Passing
from jurybox_judging.protocols import Question, Talk
from tests.judging.engines.openai_stand_in import Reply, spoken, standing_in, told
from tests.waiting import PATIENCE

pytestmark = pytest.mark.django_db

GOLDEN = Path(__file__).parents[1] / "methods" / "golden"

YES = ("Yes", "yes", " yes", " Yes")
SURE = told(("Yes", 0.7), ("yes", 0.1), ("No", 0.15))
QUICK = {"checkpoint": "judge-1", "pause": 0.001, "longest_pause": 0.2, "timeout": PATIENCE}


@pytest.fixture(autouse=True)
def no_secret(settings):
    settings.OPENAI_API_KEY = ""


def picture(shade=100, size=(8, 6)):
    return Image.new("RGB", size, (shade, 0, 0))


def question(text="Is it red?", answers=YES, rule="first_tokens"):
    return Question(text, answers, rule)


def ask(state, *questions, image=None, **options):
    engine = OpenAIServer(base_url=state.url, **{**QUICK, **options})
    return answered(engine, [(image or picture(), questions or (question(),))])[0]


def answered(engine, asked):
    """As a run asks: what may pass is asked again."""
    return with_retries(engine, engine.answer, asked, lambda: None)


def one(reply, *questions, **options):
    """The answer to one question where the server always replies like this."""
    with standing_in(lambda asked, before: reply) as state:
        return ask(state, *questions, **options)[0]


# --- what is asked and what is read


def test_the_probabilities_of_the_answers_that_were_asked_for_are_added_up():
    answer = one(SURE)
    assert answer.probability == pytest.approx(0.7 + 0.1)
    assert [text for text, _ in answer.tokens] == ["Yes", "yes"]
    assert answer.said == "Yes"
    assert answer.seconds > 0


def test_one_request_holds_the_picture_without_loss_then_the_question_and_wants_one_token():
    image = picture(size=(5, 3))
    image.putpixel((2, 1), (1, 2, 3))
    with standing_in(lambda asked, before: SURE) as state:
        ask(state, question('Does it show "{x}" – ünï?'), image=image)
    (asked,) = state.asked
    assert asked.path == "/v1/chat/completions"
    assert asked.body["model"] == "judge-1"
    assert asked.body["messages"][0] == {"role": "system", "content": STEADY}
    assert asked.text == 'Does it show "{x}" – ünï?'
    head, _, data = asked.picture.partition(",")
    assert head == "data:image/png;base64"
    sent = Image.open(io.BytesIO(base64.b64decode(data)))
    assert (sent.size, sent.tobytes()) == (image.size, image.tobytes())
    asked_for = {k: asked.body[k] for k in ("logprobs", "top_logprobs", "max_tokens")}
    assert asked_for == {"logprobs": True, "top_logprobs": 20, "max_tokens": 1}
    assert asked.body["temperature"] == 0


def test_every_answer_lands_at_its_own_question_and_picture():
    first_went = threading.Event()

    def answer(asked, before):
        # The second answer leaves before the first.
        if before == 1:
            first_went.set()
        elif before == 0:
            first_went.wait(PATIENCE)
        shade = Image.open(io.BytesIO(base64.b64decode(asked.picture.partition(",")[2])))
        return told(("Yes", (shade.getpixel((0, 0))[0] + int(asked.text)) / 1000), ("No", 0.5))

    with standing_in(answer) as state:
        engine = OpenAIServer(base_url=state.url, **QUICK)
        asked = [(picture(s), [question(str(n)) for n in range(s // 50)]) for s in (200, 50, 100)]
        answers = engine.answer(asked)
    found = [[round(1000 * a.probability) for a in row] for row in answers]
    assert found == [[200, 201, 202, 203], [50], [100, 101]]


def test_the_same_words_are_asked_once_and_read_for_every_rule():
    with standing_in(lambda asked, before: SURE) as state:
        answers = ask(
            state,
            question(),
            question(rule="sequence"),
            question(answers=("Yes", "No"), rule="share"),
            question(answers=("Yes", " ", "Yes"), rule="distinct_tokens"),
            question(answers=("No", "Yes"), rule="share"),
        )
    assert len(state.asked) == 1
    wanted = [0.8, 0.7, 0.7 / 0.85, 0.7, 0.15 / 0.85]
    assert [a.probability for a in answers] == pytest.approx(wanted)


def test_a_token_that_is_listed_twice_counts_once():
    assert one(told(("Yes", 0.6), ("Yes", 0.6), ("No", 0.1))).probability == pytest.approx(0.6)


def test_an_answer_that_is_not_listed_counts_0_and_is_known_to_be_a_bound():
    # Four spellings of yes, none likelier than the last of the list: 4 x .01, less than the rest, .05.
    answer = one(told(("No", 0.9), ("no", 0.04), ("so", 0.01)))
    assert (answer.probability, answer.said) == (0.0, "No")
    assert answer.between == (0.0, pytest.approx(0.04))
    assert "Not among the 3 likeliest tokens: “Yes”" in answer.reason
    assert "They have at most 0.04." in answer.reason
    # The list leaves .01 over, which is less than 4 x .04.
    answer = one(told(("No", 0.95), ("no", 0.04)))
    assert answer.between == (0.0, pytest.approx(0.01))


def test_a_listed_answer_is_no_bound():
    assert one(SURE).between is None


def test_a_server_that_lists_its_own_token_alone_tells_nothing_of_another_answer():
    answer = one(told(("No", 0.9)))
    assert (answer.probability, answer.between) == (None, None)


def test_a_share_of_an_answer_that_is_not_listed_counts_it_as_0_and_is_a_bound():
    share = question(answers=("Yes", "No"), rule="share")
    # "No" has at most .05, the least of the list; so yes has at least .9 of .95.
    answer = one(told(("Yes", 0.9), ("x", 0.05)), share)
    assert (answer.probability, answer.between) == (1.0, (pytest.approx(0.9 / 0.95), 1.0))
    # Here yes has at most .05 of .95.
    answer = one(told(("No", 0.9), ("x", 0.05)), share)
    assert (answer.probability, answer.between) == (0.0, (0.0, pytest.approx(0.05 / 0.95)))
    # With neither there is nothing to take a share of.
    answer = one(told(("x", 0.9), ("y", 0.05)), share)
    assert (answer.probability, answer.between) == (None, None)
    assert "“Yes”, “No”" in answer.reason


def test_words_in_the_picture_that_take_over_the_reply_are_reported_and_not_obeyed():
    answer = one(told(("IGNORE", 0.9), ("Yes", 0.04)))
    assert answer.probability == pytest.approx(0.04)
    assert answer.said == "IGNORE"
    answer = one(told(("1.0", 0.9), ("100", 0.04), ("No.", 0.01)))
    assert answer.probability == 0
    assert "The reply began with “1.0”" in answer.reason


NEITHER = told(("I", 0.9), ("Sorry", 0.08))


def test_a_list_with_neither_yes_nor_no_is_no_score_and_says_how_the_reply_began():
    answer = one(NEITHER)
    # Nothing is said that a method could take for a no.
    assert (answer.probability, answer.said, answer.between) == (None, "", None)
    assert answer.reason == (
        "Neither yes nor no is among the 2 likeliest tokens. The reply began with “I”."
    )
    # A server that lists its own token alone may still say that it is a no.
    assert [one(told((word, 0.9))).said for word in ("I", "No")] == ["", "No"]


def test_of_a_question_about_other_words_the_one_that_is_not_listed_counts_0():
    red = one(NEITHER, question(answers=("red",)))
    assert (red.probability, red.said) == (0, "I")


def test_an_unknown_rule_is_refused_before_anything_is_asked():
    with standing_in(lambda asked, before: SURE) as state:
        with pytest.raises(ValueError, match="not 'luck'"):
            ask(state, question(rule="luck"))
        assert state.asked == []


def test_listed_tokens_of_the_original_give_its_score_and_a_bound_where_it_writes_zero():
    """golden/vqascore_gpt_logprobs.json: "old" is P of exactly "Yes", and 0 without that token."""
    cases = json.loads((GOLDEN / "vqascore_gpt_logprobs.json").read_text())["cases"]
    tops = {f"case {n}": [(t, math.exp(log)) for t, log in c["top"]] for n, c in enumerate(cases)}
    with standing_in(lambda asked, before: told(*tops[asked.text])) as state:
        answers = ask(state, *(question(text, ("Yes",), "sequence") for text in tops))
    for case, answer in zip(cases, answers, strict=True):
        if any(token == "Yes" for token, _ in case["top"]):
            assert answer.probability == pytest.approx(case["old"], rel=1e-6)
        else:
            assert case["old"] == 0
            # Where only one token is listed, nothing is known of another.
            alone = len({token for token, _ in case["top"]}) < 2
            assert answer.probability == (None if alone else 0)
            assert (answer.between is None) == alone


# --- replies that cannot be read


def _without(key):
    reply = told(("Yes", 0.9))
    del reply.body["choices"][0][key]
    return reply


def _with(**changes):
    reply = told(("Yes", 0.9))
    reply.body["choices"][0].update(changes)
    return reply


def _log(value):
    reply = told(("Yes", 0.9))
    reply.body["choices"][0]["logprobs"]["content"][0]["top_logprobs"][0]["logprob"] = value
    return reply


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (_without("logprobs"), "no log-probabilities"),
        (_with(logprobs=None), "no log-probabilities"),
        (_with(logprobs={"content": []}), "no log-probabilities"),
        (_with(logprobs={"content": ["Yes"]}), "cannot be read"),
        (_with(logprobs={"content": [{"top_logprobs": 3}]}), "cannot be read"),
        (_log("high"), "cannot be read"),
        (_log(True), "cannot be read"),
        (_log(0.5), "cannot be read"),
        (_log(math.nan), "cannot be read"),
        (told(("Yes", 0.9), ("No", 0.9)), "add up to more than 1"),
        (Reply({"choices": []}), "no choice"),
        (Reply({"choices": {"0": 1}}), "no choice"),
        (Reply({"choices": ["Yes"]}), "no choice"),
        (Reply({}), "no choice"),
        (_with(message={"content": None, "refusal": "I will not."}), "refused: I will not."),
        (_with(finish_reason="content_filter"), "content filter"),
        (Reply({"error": {"message": "picture too large"}}, status=413), "413: picture too large"),
        (Reply(b"no", status=422), "status 422."),
    ],
)
def test_a_reply_without_a_readable_number_is_no_score_and_the_reason(reply, words):
    answer = one(reply)
    assert answer.probability is None
    assert words in answer.reason


def test_a_log_probability_of_minus_infinity_is_a_chance_of_nothing():
    reply = told(("Yes", 0.9))
    listed = reply.body["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
    listed.append({"token": "No", "logprob": -math.inf})
    assert one(reply, question(answers=("No",))).probability == 0


def test_a_log_probability_that_no_float_can_hold_is_a_chance_of_nothing():
    assert one(_log(-(10**400)), question(answers=("Yes",))).probability == 0


# --- failures that may pass


@pytest.mark.parametrize(
    "failure",
    [
        Reply({"error": {"message": "busy"}}, status=429, headers={"Retry-After": "0.05"}),
        Reply(b"", status=500),
        Reply(b"<html>bad gateway</html>", status=502),
        Reply(b'{"choices": [{"mess'),
        Reply(b"[1, 2]"),
        Reply(b'{"choices": []}', cut=40),
        Reply({}, delay=0.6),
        Reply(b'{"choices": []}' * 5, drip=0.02),
    ],
    ids=["429", "500", "502", "truncated", "list", "cut", "slow", "drip"],
)
def test_what_may_pass_is_tried_again(failure):
    with standing_in(lambda asked, before: SURE if before else failure) as state:
        (answer,) = ask(state, timeout=0.3, attempts=20)
    assert answer.probability == pytest.approx(0.8)
    # On a busy machine the good answer may be too slow, too.
    assert len(state.asked) >= 2


def test_a_server_that_is_not_there_is_a_passing_failure():
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    engine = OpenAIServer(base_url=f"http://127.0.0.1:{port}/v1", **QUICK)
    with pytest.raises(Passing, match="did not answer"):
        engine.answer([(picture(), [question()])])


@pytest.mark.parametrize("questions", [1, 3])
def test_a_dead_server_gets_each_request_once_per_attempt(questions):
    with standing_in(lambda asked, before: Reply(b"", status=500)) as state:
        with pytest.raises(Passing, match="status 500"):
            ask(state, *(question(str(n)) for n in range(questions)))
        usual = OpenAIServer("judge-1").patience.attempts
        assert len(state.asked) == usual * questions == 6 * questions


def test_a_server_that_cannot_be_reached_is_not_tried_for_every_question(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    tries = []
    post = Server.post
    monkeypatch.setattr(Server, "post", lambda *given: tries.append(1) or post(*given))
    engine = OpenAIServer(base_url=f"http://127.0.0.1:{port}/v1", concurrency=2, **QUICK)
    with pytest.raises(Passing, match="did not answer"):
        engine.answer([(picture(), [question(str(n)) for n in range(20)])])
    assert len(tries) <= 4


def test_a_server_that_limits_requests_is_asked_until_all_is_answered():
    """Every second request is too many: far more refusals than attempts, and each brings some."""

    def answer(asked, before):
        return Reply(b"", status=429) if before % 2 else SURE

    with standing_in(answer) as state:
        answers = ask(state, *(question(str(n)) for n in range(20)), concurrency=1, attempts=2)
    assert [a.probability for a in answers] == pytest.approx([0.8] * 20)
    assert len(state.asked) == 20 + 19


def test_a_conversation_goes_on_where_it_broke_off():
    def answer(asked, before):
        return Reply(b"", status=500) if before == 1 else spoken(f"reply {before}")

    with standing_in(answer) as state:
        engine = OpenAIServer(base_url=state.url, **QUICK)
        talks = [(picture(), Talk(("Describe it.", "Now the score.")))]
        (replies,) = with_retries(engine, engine.talk, talks, lambda: None)
    assert replies == ("reply 0", "reply 2")
    assert [asked.text for asked in state.asked] == [
        "Describe it.",
        "Now the score.",
        "Now the score.",
    ]


def test_after_the_last_attempt_the_run_is_told_that_it_may_work_later():
    with standing_in(lambda asked, before: Reply(b"", status=500)) as state:
        with pytest.raises(Passing, match="status 500"):
            ask(state, attempts=3)
        assert len(state.asked) == 3


def test_retry_after_is_waited_for(monkeypatch):
    waits = []
    monkeypatch.setattr(ask_engine, "_wait", lambda seconds, keep_alive: waits.append(seconds))
    busy = Reply(b"", status=429, headers={"Retry-After": "0.15"})
    with standing_in(lambda asked, before: SURE if before else busy) as state:
        ask(state)
    assert waits == [0.15]


def test_the_wait_that_a_server_asks_for_is_handed_on():
    busy = Reply({"error": {"message": "quota"}}, status=429, headers={"Retry-After": "90"})
    with standing_in(lambda asked, before: busy) as state:
        with pytest.raises(Passing, match="quota") as raised:
            OpenAIServer(base_url=state.url, **QUICK).answer([(picture(), [question()])])
        assert raised.value.retry_after == 90
        assert len(state.asked) == 1


def test_a_question_that_fails_where_others_succeed_is_no_score_and_the_reason():
    def answer(asked, before):
        return Reply(b"", status=500) if asked.text == "2" else SURE

    with standing_in(answer) as state:
        answers = ask(state, *(question(str(n)) for n in range(4)), attempts=2)
    assert [a.probability is None for a in answers] == [False, False, True, False]
    assert "status 500" in answers[2].reason


def test_what_was_answered_before_the_server_got_busy_is_not_asked_again():
    limit = 3

    def answer(asked, before):
        if before < limit:
            return SURE
        return Reply(b"", status=429, headers={"Retry-After": "60"})

    with standing_in(answer) as state:
        engine = OpenAIServer(base_url=state.url, concurrency=1, **QUICK)
        asked = [(picture(), [question(str(n)) for n in range(5)])]
        with pytest.raises(Passing):
            engine.answer(asked)
        limit = 1000
        (answers,) = engine.answer(asked)
    assert [a.probability for a in answers] == pytest.approx([0.8] * 5)
    assert [a.text for a in state.asked] == ["0", "1", "2", "3", "3", "4"]


def test_no_more_requests_are_under_way_than_allowed():
    together = threading.Barrier(3)

    def answer(asked, before):
        together.wait(timeout=PATIENCE)
        return SURE

    with standing_in(answer) as state:
        ask(state, *(question(str(n)) for n in range(12)), concurrency=3)
    assert state.busiest == 3


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-4"}, None),
        ({}, None),
        ({"retry-after": "Thu, 01 Jan 2015 00:00:00 GMT"}, 0),
    ],
)
def test_retry_after_is_seconds_or_a_date(headers, seconds):
    assert retry_after(httpx.Headers(headers)) == seconds


def test_retry_after_may_name_an_hour():
    when = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    assert retry_after(httpx.Headers({"Retry-After": when})) == pytest.approx(3600, abs=5)


# --- failures that will not pass


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_server_that_does_not_know_us_or_the_model_stops_the_run(status):
    refusal = Reply({"error": {"message": "no such model"}}, status=status)
    with standing_in(lambda asked, before: refusal) as state:
        with pytest.raises(EngineRefused, match=f"status {status}: no such model"):
            ask(state, *(question(str(n)) for n in range(20)), concurrency=2)
        assert len(state.asked) <= 4


def test_a_redirect_is_not_followed():
    with standing_in(lambda asked, before: SURE) as other:
        away = Reply(b"", status=307, headers={"Location": f"{other.url}/chat/completions"})
        answer = one(away)
        assert answer.probability is None
        assert "redirects are not followed" in answer.reason
        assert other.asked == []


# --- where it may ask, and the secret


@pytest.mark.parametrize(
    "address",
    [
        "https://api.openai.com/v1",
        "http://169.254.169.254/latest",
        "http://[fd00:ec2::254]/latest",
        # This machine, or one behind the firewall, in the ways that filters overlook.
        *("http://2130706433:8000/v1", "http://0x7f000001:8000/v1", "http://0177.0.0.1:8000/v1"),
        *("http://127.1:8000/v1", "http://0.0.0.0:8000/v1", "http://[::]:8000/v1"),
        *("http://[::ffff:127.0.0.1]:8000/v1", "http://[::ffff:169.254.169.254]/v1"),
        "http://127.0.0.1@169.254.169.254/v1",
        "http://127.0.0.1\\@169.254.169.254/v1",
        "http://127.0.0.1:8000\\.evil.example/v1",
        *("http://127.0.0.1%00.evil.example/v1", "http://[::1%25lo]:8000/v1"),
        *("gopher://127.0.0.1:8000/v1", "//127.0.0.1:8000/v1", "http:///v1"),
        *("http://127.0.0.1.nip.io:8000/v1", "http://localhost.:8000", "ftp://127.0.0.1/x"),
        *("file:///etc/passwd", "http://me:pw@127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1?x=1"),
        "http://127.0.0.1:99999/v1",
        "http://127.0.0.1:8000/v 1",
        "http://127.0.0.1:8000/ü",
        "127.0.0.1:8000",
        "",
    ],
)
def test_only_this_machine_is_asked_until_the_operator_names_others(address):
    with pytest.raises(EngineRefused, match="JUDGE_SERVERS|address"):
        OpenAIServer("m", base_url=address).load()


def test_a_server_that_the_operator_named_may_be_asked(settings):
    settings.JUDGE_SERVERS = ["https://api.openai.com", "http://gpu:8000"]
    for address in (
        "https://api.openai.com/v1",
        "https://API.openai.com:443",
        "http://gpu:8000/v1",
    ):
        OpenAIServer("m", base_url=address).load()
    for address in ("http://api.openai.com/v1", "http://gpu:8001/v1", "http://127.0.0.1:8000"):
        with pytest.raises(EngineRefused, match="JUDGE_SERVERS"):
            OpenAIServer("m", base_url=address).load()


def test_the_secret_goes_to_a_server_that_was_named_and_to_no_other(settings):
    settings.OPENAI_API_KEY = "sk-hidden"
    with standing_in(lambda asked, before: SURE) as state:
        ask(state)
        settings.JUDGE_SERVERS = [state.url.removesuffix("/v1")]
        ask(state)
    sent = [asked.headers.get("Authorization") for asked in state.asked]
    assert sent == [None, "Bearer sk-hidden"]


def test_the_secret_is_never_shown(settings, caplog):
    settings.OPENAI_API_KEY = "sk-hidden"
    refusal = Reply({"error": {"message": "Wrong key: sk-hidden"}}, status=401)
    with caplog.at_level(logging.DEBUG), standing_in(lambda asked, before: refusal) as state:
        settings.JUDGE_SERVERS = [state.url.removesuffix("/v1")]
        engine = OpenAIServer(base_url=state.url, **QUICK)
        with pytest.raises(EngineRefused) as raised:
            engine.answer([(picture(), [question()])])
    shown = [str(raised.value), repr(engine._server()), str(vars(engine)), str(engine.facts)]
    assert "sk-hidden" not in "".join(shown) + caplog.text
    assert "Wrong key: …" in str(raised.value)


def test_a_secret_that_no_header_can_carry_is_refused_without_repeating_it(settings):
    settings.OPENAI_API_KEY = "sk-hid\nden"
    with standing_in(lambda asked, before: SURE) as state:
        settings.JUDGE_SERVERS = [state.url.removesuffix("/v1")]
        (answer,) = ask(state)
        assert state.asked == []
    assert "OPENAI_API_KEY" in answer.reason
    assert "hid" not in answer.reason


@pytest.mark.parametrize(
    "proxy", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"], ids=["upper", "lower", "all"]
)
def test_no_proxy_is_taken_from_the_environment(monkeypatch, proxy):
    with standing_in(lambda asked, before: SURE) as other:
        monkeypatch.setenv(proxy, other.url)
        assert one(SURE).probability == pytest.approx(0.8)
        assert other.asked == []


def test_a_reply_that_never_ends_is_broken_off():
    with pytest.raises(Passing, match="longer than any answer"):
        one(Reply(b"x" * (9 << 20)), attempts=1)


@pytest.mark.parametrize(
    "reply",
    [
        Reply({"error": {"message": "x" * 5_000_000}}, status=400),
        Reply(b"<html>" + b"x" * 5_000_000, status=400),
        Reply(b"x" * 5_000_000),
        told(("x" * 5_000_000, 0.5), ("y", 0.2)),
    ],
    ids=["words", "a page", "no JSON", "a token without end"],
)
def test_what_a_server_says_is_repeated_in_a_few_words_only(reply):
    # Who can choose the address must not read other servers' pages through our reasons.
    with standing_in(lambda asked, before: reply) as state:
        try:
            reason = ask(state, attempts=1)[0].reason
        except Passing as passing:
            reason = passing.reason
    assert 0 < len(reason) < 500


# --- what it costs


def test_requests_tokens_and_cost_are_counted_by_day_server_and_model(settings):
    settings.JUDGE_PRICES = {"judge-1": (2.0, 10.0)}
    with standing_in(lambda asked, before: told(("Yes", 0.9), usage=(1000, 1))) as state:
        ask(state, question("a"), question("b"))
        ask(state, question("c"))
    (row,) = ServerUse.objects.all()
    assert (row.requests, row.tokens_in, row.tokens_out) == (3, 3000, 3)
    # 3,000 at 2 and 3 at 10 for a million
    assert row.cost == pytest.approx(0.006 + 0.00003)


def test_a_used_up_budget_stops_the_run_and_asks_nothing_more(settings):
    settings.JUDGE_PRICES = {"judge-1": (1000.0, 0.0)}
    settings.JUDGE_BUDGET = 3.0
    # each request costs 1
    with standing_in(lambda asked, before: told(("Yes", 0.9), usage=(1000, 1))) as state:
        with pytest.raises(EngineRefused, match="JUDGE_BUDGET"):
            ask(state, *(question(str(n)) for n in range(9)), concurrency=1)
        assert len(state.asked) == 3
        with pytest.raises(EngineRefused, match="used up"):
            ask(state, question("again"))
        assert len(state.asked) == 3


def test_a_budget_needs_a_price_and_a_server_that_counts(settings):
    settings.JUDGE_BUDGET = 3.0
    with standing_in(lambda asked, before: told(("Yes", 0.9), usage=None)) as state:
        with pytest.raises(EngineRefused, match="JUDGE_PRICES"):
            ask(state)
        settings.JUDGE_PRICES = {"judge-1": (1.0, 1.0)}
        with pytest.raises(EngineRefused, match="how many tokens"):
            ask(state)


# --- conversations


def test_a_conversation_is_asked_turn_by_turn_with_the_replies_between():
    with standing_in(lambda asked, before: spoken(f"reply {before}")) as state:
        engine = OpenAIServer(base_url=state.url, **QUICK)
        talk = Talk(("Describe it.", "Now the score."), max_tokens=99, temperature=0.7, seed=5)
        (replies,) = engine.talk([(picture(), talk)])
    assert replies == ("reply 0", "reply 1")
    second = state.asked[1].body
    roles = [m["role"] for m in second["messages"]]
    assert roles == ["system", "user", "assistant", "user"]
    assert second["messages"][2]["content"] == "reply 0"
    assert (second["max_tokens"], second["temperature"], second["seed"]) == (99, 0.7, 5)
    assert "logprobs" not in second


def test_a_conversation_that_breaks_off_is_a_reason_and_no_text():
    def answer(asked, before):
        return Reply({"error": "too long"}, status=400) if before else spoken("so far")

    with standing_in(answer) as state, pytest.raises(ValueError, match="too long"):
        OpenAIServer(base_url=state.url, **QUICK).talk([(picture(), Talk(("a", "b")))])


# --- how it is made


def test_making_one_asks_nothing_and_its_facts_name_model_and_server():
    engine = OpenAIServer("judge-1", "2026-01", base_url="http://127.0.0.1:9/v1")
    facts = engine.facts
    assert (facts["checkpoint"], facts["revision"]) == ("judge-1", "2026-01")
    assert facts["server"] == "http://127.0.0.1:9/v1"


def test_without_the_name_of_a_model_nothing_is_asked():
    with pytest.raises(EngineRefused, match="Which model"):
        OpenAIServer().load()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"base_url": 8000}, "“base_url” must be a text"),
        ({"concurrency": 0}, "concurrency"),
        ({"attempts": 2.5}, "attempts"),
        ({"timeout": 0}, "timeout"),
        ({"top_logprobs": 50}, "from 1 to 20"),
        ({"limit_name": "tokens"}, "limit_name"),
        ({"extra": {"model": "dearer"}}, "“extra” must not set model"),
    ],
)
def test_options_that_make_no_sense_are_refused_by_name(options, words):
    with pytest.raises(ValueError, match=words):
        OpenAIServer("m", **options)


def test_fields_that_only_one_server_knows_are_sent_along():
    extra = {"chat_template_kwargs": {"enable_thinking": False}}
    with standing_in(lambda asked, before: SURE) as state:
        ask(state, extra=extra, limit_name="max_completion_tokens", system="")
    body = state.asked[0].body
    assert body["chat_template_kwargs"] == {"enable_thinking": False}
    assert body["max_completion_tokens"] == 1
    assert "max_tokens" not in body
    assert [m["role"] for m in body["messages"]] == ["user"]

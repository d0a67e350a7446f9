"""A judge that asks a server, from the command to the scores, over real HTTP on loopback."""

import pytest
from django.core.management import CommandError, call_command

from judges.models import Run, ServerUse
from judges.runs import lifecycle, score_chunk
from jurybox_judging import registry
from jurybox_judging.errors import JudgeRefused
from tests import making
from tests.judging.engines.openai_stand_in import Reply, spoken, standing_in, told

pytestmark = pytest.mark.django_db

SECRET = "sk-never-to-be-seen"
SURE = told(("Yes", 0.81), ("No", 0.1), usage=(1000, 1))


@pytest.fixture(autouse=True)
def quick(settings):
    settings.OPENAI_API_KEY = SECRET
    registry.forget_engines()
    yield
    registry.forget_engines()


@pytest.fixture
def study(db):
    """Three prompts, two questions for each; both generators drew the same three pictures."""
    return making.study(prompts=3)


def options(state, **more):
    pace = {"pause": 0.001, "longest_pause": 0.05, "attempts": 2, "timeout": 300}
    given = {"checkpoint": "judge-1", "base_url": state.url, **pace, **more}
    # The self-test would ask, too.
    return {"self_test": False, **{f"answers.{name}": value for name, value in given.items()}}


def run(state, study, judge="soft-tifa-gm-server", **more):
    started = lifecycle.start_run(study=study, name=judge, options=options(state, **more))
    score_chunk.work_off(run=started)
    started.refresh_from_db()
    return started


def test_every_question_about_every_picture_is_asked_once_and_the_run_ends_with_scores(study):
    with standing_in(lambda asked, before: SURE) as state:
        ended = run(state, study)
        other = run(state, study, judge="vqa-score-server")
    assert ended.state == other.state == Run.State.FINISHED
    assert list(ended.scores.values_list("value", flat=True)) == [pytest.approx(0.81)] * 6
    assert len(state.asked) == 3 * 2 + 3
    questions = [asked.text for asked in state.asked]
    assert sum("Are there any circles" in text for text in questions) == 3
    # Nothing of who made a picture leaves the house, and no secret goes where nobody named it.
    sent = str([(asked.headers, asked.body) for asked in state.asked])
    assert "early" not in sent
    assert SECRET not in sent


def test_a_failed_question_is_no_score_and_the_reason_and_is_asked_again_on_resuming(study):
    well = False

    def answer(asked, before):
        return SURE if well or "red" not in asked.text else Reply({"error": "no"}, status=400)

    with standing_in(answer) as state:
        failed = run(state, study)
        errors = list(failed.scores.values_list("value", "error"))
        well = True
        lifecycle.resume_run(run=failed)
        score_chunk.work_off(run=failed)
        asked = len(state.asked)
    assert [value for value, _ in errors] == [None] * 6
    assert all("status 400: no" in error for _, error in errors)
    assert failed.scores.filter(value__isnull=False).count() == 6
    # What had been answered is not paid for twice.
    assert asked == 6 + 3


def test_answers_that_the_server_does_not_list_are_counted_on_the_page(study, as_alice):
    unlisted = told(("No", 0.9), ("Maybe", 0.08))
    with standing_in(lambda asked, before: SURE if "red" in asked.text else unlisted) as state:
        ended = run(state, study)
    # Six images; of the two questions about each, the one without "red" has no yes in the list.
    assert set(ended.scores.values_list("value", "assumed", "error")) == {(0.0, 1, "")}
    # Four spellings of yes, together no more than the .02 that the list leaves over.
    low, high = ended.scores.first().evidence["between"]
    assert (low, high) == (0, pytest.approx((0.81 * 0.02) ** 0.5))
    page = as_alice.get(f"/studies/{study.slug}/runs/")
    assert "6 answers missing, counted 0" in page.content.decode()


def test_a_used_up_budget_stops_the_run_with_a_sentence_and_it_can_go_on(study, settings):
    settings.JUDGE_PRICES, settings.JUDGE_BUDGET = {"judge-1": (1000.0, 0.0)}, 4.0
    with standing_in(lambda asked, before: SURE) as state:
        stopped = run(state, study, concurrency=1, batch=1)
        assert stopped.state == Run.State.STOPPED
        assert "JUDGE_BUDGET" in stopped.reason
        assert len(state.asked) == 4
        settings.JUDGE_BUDGET = 100.0
        lifecycle.resume_run(run=stopped)
        score_chunk.work_off(run=stopped)
    stopped.refresh_from_db()
    assert stopped.state == Run.State.FINISHED
    assert stopped.scores.filter(value__isnull=False).count() == 6
    assert len(state.asked) == 6


def test_a_server_that_is_away_stops_the_run_until_somebody_resumes_it(study):
    with standing_in(lambda asked, before: Reply(b"", status=503)) as state:
        stopped = run(state, study)
    assert stopped.state == Run.State.STOPPED
    assert "status 503" in stopped.reason
    assert stopped.scores.count() == 0


def test_a_server_that_was_not_allowed_is_never_asked(study, settings):
    settings.JUDGE_SERVERS = ["https://api.openai.com"]
    with standing_in(lambda asked, before: SURE) as state:
        with pytest.raises(JudgeRefused, match="JUDGE_SERVERS"):
            run(state, study)
        assert state.asked == []
    assert not Run.objects.exists()


def test_a_server_that_is_not_allowed_any_more_stops_the_run(study, settings):
    with standing_in(lambda asked, before: SURE) as state:
        given = {**options(state), "self_test": False}
        started = lifecycle.start_run(study=study, name="soft-tifa-gm-server", options=given)
        settings.JUDGE_SERVERS = []
        score_chunk.work_off(run=started)
        assert state.asked == []
    started.refresh_from_db()
    assert started.state == Run.State.STOPPED
    assert "JUDGE_SERVERS" in started.reason


def test_a_conversation_is_scored_and_an_unreadable_reply_is_no_score(study):
    replies = ["I see shapes.", '{"score": 85, "explanation": "fine"}']

    def answer(asked, before):
        turns = sum(message["role"] == "user" for message in asked.body["messages"])
        return spoken(replies[turns - 1])

    with standing_in(answer) as state:
        given = {k.replace("answers.", "talk."): v for k, v in options(state).items()}
        given["category"] = "complex"
        started = lifecycle.start_run(study=study, name="chain-of-thought-server", options=given)
        score_chunk.work_off(run=started)
        assert list(started.scores.values_list("value", flat=True)) == [pytest.approx(0.85)] * 6
        replies[1] = "I would rather not say."
        given["talk.revision"] = "2"
        started = lifecycle.start_run(study=study, name="chain-of-thought-server", options=given)
        score_chunk.work_off(run=started)
    assert set(started.scores.values_list("value", flat=True)) == {None}


def test_the_secret_is_in_no_row_that_a_run_leaves(study, settings):
    refusal = Reply({"error": {"message": f"wrong key {SECRET}"}}, status=401)
    with standing_in(lambda asked, before: refusal) as state:
        settings.JUDGE_SERVERS = [state.url.removesuffix("/v1")]
        stopped = run(state, study)
        assert state.asked[0].headers["Authorization"] == f"Bearer {SECRET}"
    assert stopped.state == Run.State.STOPPED
    told_of = [stopped.reason, stopped.judge.options, stopped.judge.facts]
    assert SECRET not in str(told_of)
    assert "wrong key …" in stopped.reason


def test_what_servers_cost_is_told_by_a_command(study, settings, capsys):
    call_command("server_use")
    assert "No judge has asked a server yet." in capsys.readouterr().out
    settings.JUDGE_PRICES = {"judge-1": (2.0, 0.0)}
    with standing_in(lambda asked, before: SURE) as state:
        run(state, study)
    call_command("server_use")
    words = capsys.readouterr().out
    assert "judge-1: 6 requests, 6000 tokens in, 6 out, cost 0.0120" in words
    assert ServerUse.objects.count() == 1


def many(prompts=30):
    return making.study("many", prompts=prompts)


REFUSALS = {
    "a wrong key": (Reply({"error": {"message": "wrong key"}}, status=401), "wrong key"),
    "no such field": (Reply({"error": {"message": "no logprobs"}}, status=400), "no logprobs"),
    "a page": (Reply(b"<!DOCTYPE html><title>Log in</title>"), "a web page called “Log in”"),
    "a page with a status": (
        Reply(b"<html><title>Forbidden</title>", status=400),
        "status 400: a web page called “Forbidden”",
    ),
    "the same words": (
        Reply({"choices": [{"message": {"refusal": "I will not look."}}]}),
        "The model refused: I will not look.",
    ),
}


@pytest.mark.parametrize(("reply", "words"), REFUSALS.values(), ids=REFUSALS)
def test_a_server_that_refuses_everything_gets_ten_requests_and_the_run_says_its_words(
    db, reply, words, client
):
    study = many()
    with standing_in(lambda asked, before: reply) as state:
        stopped = run(state, study, attempts=6)
    assert len(state.asked) <= 10
    assert stopped.state == Run.State.STOPPED and words in stopped.reason
    client.force_login(making.person(study, "owner", role="owner").user)
    page = client.get(f"/studies/{study.slug}/runs/").content.decode()
    assert page.count(">Go on</button>") == 1 and words in page


def test_a_run_that_was_refused_goes_on_with_the_other_images_first(db):
    study = many(prompts=20)  # 40 images of 20 pictures, two questions each
    refusal = Reply({"error": {"message": "not this one"}}, status=400)
    refused: set[str] = set()

    def answer(asked, before):
        if before < 10:
            refused.add(asked.picture)
        return refusal if asked.picture in refused else SURE

    with standing_in(answer) as state:
        stopped = run(state, study)
        assert (stopped.state, len(state.asked)) == (Run.State.STOPPED, 10)
        lifecycle.resume_run(run=stopped)
        score_chunk.work_off(run=stopped)
    stopped.refresh_from_db()
    scored = stopped.scores.filter(value__isnull=False).count()
    # Three batches of four images were in hand when it was enough; all others have a score.
    assert (len(refused), scored) == (5, 40 - 12)


def test_one_picture_that_is_refused_stops_nothing(study):
    first: list[str] = []

    def answer(asked, before):
        first.append(asked.picture)
        return Reply({"error": "no"}, status=400) if asked.picture == first[0] else SURE

    with standing_in(answer) as state:
        ended = run(state, study)
    assert ended.state == Run.State.FINISHED
    assert ended.scores.filter(value__isnull=False).count() == 4


def test_replies_that_say_the_same_and_hold_no_score_stop_the_run(db):
    study = many()
    with standing_in(lambda asked, before: spoken("Your account is suspended.")) as state:
        given = {k.replace("answers.", "talk."): v for k, v in options(state, batch=1).items()}
        given["category"] = "complex"
        started = lifecycle.start_run(study=study, name="chain-of-thought-server", options=given)
        score_chunk.work_off(run=started)
    started.refresh_from_db()
    assert started.state == Run.State.STOPPED
    assert "10 images in a row could not be scored" in started.reason
    assert "suspended" in started.reason
    # Two turns are asked for up to three times; equal pictures are asked about once.
    assert len(state.asked) == 30


def of_talk(state, **more):
    return {k.replace("answers.", "talk."): v for k, v in options(state, **more).items()}


def test_a_model_that_refuses_gives_no_zeros_and_ten_in_a_row_stop_the_run(db):
    study = many()
    words = ("I'm sorry, but I can't help with that.", "抱歉，我无法提供帮助。")

    def answer(asked, before):
        return spoken(words[before % 2])

    with standing_in(answer) as state:
        given = of_talk(state, batch=1)
        started = lifecycle.start_run(study=study, name="dsg-server", options=given)
        score_chunk.work_off(run=started)
        asked = len(state.asked)
    started.refresh_from_db()
    assert started.state == Run.State.STOPPED
    assert started.reason.startswith("10 images in a row could not be scored, for one reason")
    assert "The model refused: " in started.reason
    assert set(started.scores.values_list("value", flat=True)) == {None}
    # Ten images are five pictures; there are two questions about each.
    assert asked == 10


def test_a_refusal_is_no_answer_and_is_asked_again_when_the_run_goes_on(study):
    well = False

    def answer(asked, before):
        return spoken("yes" if well or "red" not in asked.text else "I cannot help with this.")

    with standing_in(answer) as state:
        given = of_talk(state)
        begun = lifecycle.start_run(study=study, name="dsg-server", options=given)
        score_chunk.work_off(run=begun)
        refused = set(begun.scores.values_list("value", "error"))
        well = True
        registry.forget_engines()  # As in another worker, which remembers no replies.
        lifecycle.resume_run(run=begun)
        score_chunk.work_off(run=begun)
    assert refused == {(None, "The model refused: I cannot help with this.")}
    assert set(begun.scores.values_list("value", flat=True)) == {1.0}


def test_the_command_of_a_refused_run_fails_with_the_words_of_the_server(db):
    study = many()
    refusal = Reply({"error": {"message": "quota is over"}}, status=400)
    with standing_in(lambda asked, before: refusal) as state:
        given = [f"--option={name}={value}" for name, value in options(state).items() if value]
        given.append("--option=self_test=false")
        with pytest.raises(CommandError, match="quota is over") as told_of:
            call_command("run_judge", study.slug, "soft-tifa-gm-server", "--wait", *given)
    assert told_of.value.returncode == 1 and len(state.asked) == 10

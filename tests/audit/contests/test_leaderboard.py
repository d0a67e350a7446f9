"""The leaderboard from the rows of a study: worked by hand, as a command, a page, files and the API."""

import csv
import io
import json
import math
import re
from dataclasses import asdict
from types import SimpleNamespace

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotations.errors import Refused
from annotations.models import Pair, PairVote, Prompt, StoredAnswer
from annotations.stored_answers import question, store
from annotations.versions import raise_votes_version
from audit.contests.parameters import Parameters
from audit.contests.read import from_answers
from audit.contests.standings import _ceiling, leaderboard
from audit.reports.pairing import pair
from audit.words import contests as words
from jurybox_stats.contests.votes import LEFT, RIGHT, TIE
from tests import making

pytestmark = pytest.mark.django_db
HTMX = {"HTTP_HX_REQUEST": "true"}


def contested(slug="arena"):
    """Forty prompts. Ann finds the late image better on 30 and worse on 10; Ben has answered about the
    early ones alone, so that he compares nothing. The judge is with Ann on 36 prompts, by 0.5."""
    study = making.study(slug, prompts=40, files=False)
    labels, scores = {}, {}
    for n in range(40):
        late = n >= 10
        labels[f"late-{n}"] = {"ann": int(late)}
        labels[f"early-{n}"] = {"ann": int(not late), "ben": 1}
        judge_late = late != (n in (9, 19, 29, 39))
        scores[f"late-{n}"] = 0.2 + 0.5 * judge_late
        scores[f"early-{n}"] = 0.2 + 0.5 * (not judge_late)
    making.labels(study, labels)
    making.scores(study, scores)
    return study


@pytest.fixture
def arena(alice):
    study = contested()
    making.person(study, "alice", role="owner")
    return study


def at(name="leaderboard", *args, **query):
    return reverse(name, args=["arena", *args], query=query)


def test_the_standing_worked_by_hand(arena):
    body = leaderboard(arena, Parameters(), resamples=200)
    assert (body["votes"], body["prompts"], body["raters"], body["tied"]) == (40, 40, 1, 0)
    late, early = body["people"]["places"]
    assert (late["generator"], late["win_share"]["value"]) == ("late", pytest.approx(0.75))
    assert early["win_share"]["value"] == pytest.approx(0.25)
    # The logit's error is √(1 / (n p q)), times √(G / (G − 1)); the share's is p q times that.
    error = 0.75 * 0.25 * math.sqrt(1 / (40 * 0.75 * 0.25) * 40 / 39)
    assert late["win_share"]["high"] == pytest.approx(0.75 + 2.0226909 * error)
    assert late["elo"]["value"] == pytest.approx(1000 + 200 * math.log10(3))
    assert body["people"]["groups"] == [["late"], ["early"]]
    assert body["ceiling"]["undefined"] == "no pair has votes of two people"


def test_the_judge_on_the_same_comparisons(arena):
    judge = leaderboard(arena, Parameters(), resamples=200)["judges"]["some-judge"]
    assert judge["accuracy"]["value"] == pytest.approx(36 / 40)
    # Of the four, one was early's and three were late's: late wins 30 + 1 − 3.
    assert judge["board"]["places"][0]["win_share"]["value"] == pytest.approx(28 / 40)
    assert judge["swaps"] == []
    assert judge["epsilon_by_fold"] == [0.0] * 5
    assert judge["soft_pairwise"]["value"] > 0.95
    assert "no group has two pairs" in judge["group_accuracy"]["undefined"]


def test_a_judge_that_is_right_on_all_pairs_of_a_prompt_is_told_so(arena):
    body = leaderboard(arena, Parameters(), resamples=200)
    assert "right on all pairs" not in "\n".join(words.sentences(body))
    told = {"value": 0.5, "low": 0.4, "high": 0.6, "n": 20}
    body["judges"]["some-judge"]["group_accuracy"] = told
    assert "is right on all pairs of 50" in "\n".join(words.sentences(body))


def test_a_judge_that_turns_them_around_is_named(arena):
    making.scores(
        arena,
        {f"{kind}-{n}": 0.9 if (kind == "early") == (n % 4 > 0) else 0.1 for kind in ("early", "late") for n in range(40)},
        name="contrary",
    )  # fmt: skip
    body = leaderboard(arena, Parameters(), resamples=200)
    (swap,) = body["judges"]["contrary"]["swaps"]
    assert (swap["first"], swap["second"]) == ("late", "early")
    assert "contrary says what people say on" in (told := "\n".join(words.sentences(body)))
    assert "It puts early above late, where people do not." in told


def test_to_say_tie_each_time_stands_beside_what_judges_say(as_alice, arena):
    # Cat finds both images of ten prompts good: ten ties beside Ann's forty.
    making.labels(
        arena, {f"{kind}-{n}": {"cat": 1} for kind in ("early", "late") for n in range(10)}
    )
    body = leaderboard(arena, Parameters(), resamples=200)
    assert (body["votes"], body["tied"]) == (50, 10)
    assert body["always_tie"]["value"] == pytest.approx(10 / 50)
    assert body["always_tie"]["low"] < 0.2 < body["always_tie"]["high"]
    told = "\n".join(words.sentences(body))
    assert "saying “tie” each time, on 20.0 (" in told
    page = making.html_of(as_alice.get(at()))
    assert "“tie” each time" in page and "0.200" in page


def test_without_a_tie_nobody_reads_of_the_judge_that_says_tie(as_alice, arena):
    assert leaderboard(arena, Parameters(), resamples=200)["always_tie"]["value"] == 0
    assert "“tie” each time" not in making.html_of(as_alice.get(at()))


def test_images_without_a_score_are_left_out_and_counted(arena):
    making.scores(arena, {f"late-{n}": 0.5 for n in range(40)}, name="half")
    judge = leaderboard(arena, Parameters(), resamples=200)["judges"]["half"]
    assert (judge["votes"], judge["without_score"]) == (0, 40)
    assert "undefined" in judge["accuracy"]


def test_equal_answers_are_a_tie_and_of_one_generator_are_no_comparison(arena):
    making.labels(
        arena, {f"{kind}-{n}": {"cat": 1} for kind in ("early", "late") for n in range(9)}
    )
    found = from_answers(pair(study=arena, question="aligned").people)
    assert found.n == 49
    assert (found.said == 2).sum() == 9


def test_more_comparisons_than_can_be_read_are_refused(arena, monkeypatch):
    monkeypatch.setattr("audit.contests.read.MOST", 39)
    with pytest.raises(Refused, match="more than 39 comparisons: ask for one slice"):
        leaderboard(arena, Parameters())


def test_a_slice_has_its_own_standing(arena):
    for number, prompt in enumerate(Prompt.objects.filter(study=arena).order_by("pk")):
        prompt.tags = ["colors"] if number % 2 else ["counting"]
        prompt.save()
    body = leaderboard(arena, Parameters(), resamples=200)
    assert [(part["tag"], part["votes"]) for part in body["slices"]] == [
        ("colors", 20),
        ("counting", 20),
    ]
    alone = leaderboard(arena, Parameters(slice="colors"), resamples=200)
    assert alone["people"] == body["slices"][0]["people"]
    with pytest.raises(Refused, match="No prompt of study arena has the tag “shapes”"):
        leaderboard(arena, Parameters(slice="shapes"))


def test_too_few_prompts_and_ties_alone_are_said(alice):
    few = making.study("few", prompts=6, files=False)
    votes = {f"late-{n}": {"ann": n % 2} for n in range(6)}
    votes |= {f"early-{n}": {"ann": (n + 1) % 2} for n in range(6)}
    making.labels(few, votes)
    told = leaderboard(few, Parameters())["people"]["undefined"]
    assert told == "too few to judge: 6 prompts, at least 20 needed"
    tied = making.study("tied", prompts=6, files=False)
    making.labels(tied, {f"{kind}-{n}": {"ann": 1} for kind in ("early", "late") for n in range(6)})
    assert (
        leaderboard(tied, Parameters())["people"]["undefined"]
        == "no finite answer: all votes are ties"
    )
    empty = leaderboard(making.study("empty", prompts=6, files=False), Parameters())
    assert empty["people"]["undefined"] == "there are no votes"
    assert words.sentences(empty)


def side_by_side(study, said, *, known=True):
    """A pair a prompt, late against early; `said(n, left)` is the vote, Kim's and Lee's alike."""
    people = [making.person(study, name) for name in ("kim", "lee")]
    when = timezone.now()
    for n, prompt in enumerate(study.prompts.order_by("pk")):
        first, second = prompt.images.order_by("pk")
        pair = Pair.objects.create(
            study=study, prompt=prompt, first=first, second=second, key=f"{n:03}"
        )
        for turn, person in enumerate(people):
            left = ("first", "second")[(n + turn) % 2]
            PairVote.objects.create(
                study=study, pair=pair, annotator=person, question="match", submitted_at=when,
                value=said(n, left), left=left if known else "",
            )  # fmt: skip


def test_votes_on_pairs_are_read_as_they_stood(alice):
    study = making.study("pairs", prompts=40, files=False)
    early = study.images.get(key="early-0")
    first = study.prompts.get(key="p0").images.order_by("pk").first()
    is_early = "first" if first == early else "second"
    other = {"first": "second", "second": "first"}

    def said(n, left):
        # Late wins 24 prompts, early 8; four ties, four nobody can tell.
        if n < 4:
            return ("both", "neither")[n % 2]
        return "cannot_tell" if n < 8 else is_early if n < 16 else other[is_early]

    side_by_side(study, said)
    body = leaderboard(study, Parameters(), resamples=200)
    assert (body["made_from"], body["question"]) == ("pairs", "match")
    assert (body["votes"], body["tied"], body["cannot_tell"], body["raters"]) == (72, 8, 8, 2)
    # A tie counts half: 24 + 4 / 2 of 36.
    late = body["people"]["places"][0]
    assert (late["generator"], late["win_share"]["value"]) == ("late", pytest.approx(26 / 36))
    # Both sides stood left as often, and nobody looked at the side.
    assert body["left"]["low"] is None or body["left"]["low"] < 0 < body["left"]["high"]
    # Kim and Lee say the same, however the images stood.
    assert body["ceiling"]["value"] == 1
    told = "\n".join(words.sentences(body))
    assert "who saw both images side by side" in told and "8 more votes are “can’t tell”" in told
    PairVote.objects.filter(annotator__name="lee").update(current=False)
    assert leaderboard(study, Parameters(), resamples=200)["votes"] == 36


def test_a_left_side_that_wins_too_often_is_found_and_taken_out(alice):
    study = making.study("pairs", prompts=40, files=False)
    side_by_side(study, lambda n, left: left if n % 4 else {"first": "second"}.get(left, "first"))
    body = leaderboard(study, Parameters(), resamples=200)
    # The left wins three of four: fifty more of a hundred than the right, between equals.
    assert body["left"]["value"] == pytest.approx(50)
    assert 0 < body["left"]["low"] < 50 < body["left"]["high"] <= 100
    shares = [place["win_share"]["value"] for place in body["people"]["places"]]
    assert shares == pytest.approx([0.5, 0.5])
    assert "The left image wins too often" in "\n".join(words.sentences(body))
    PairVote.objects.update(left="")
    assert leaderboard(study, Parameters(), resamples=200)["left"] is None


def test_new_votes_bring_the_page_up_to_date(as_alice, arena):
    assert "who saw both images" not in making.html_of(as_alice.get(at()))
    side_by_side(arena, lambda n, left: "first" if n % 3 else "second")
    raise_votes_version(arena.pk)
    page = making.html_of(as_alice.get(at()))
    assert "who saw both images side by side" in page
    assert "answers about single images" in page
    assert "late leads alone" in making.html_of(as_alice.get(at(made_from="answers")))
    assert "Nobody voted on a question “aligned”" in making.html_of(
        as_alice.get(at(question="aligned"))
    )
    PairVote.objects.filter(annotator__name="kim").update(current=False)
    raise_votes_version(arena.pk)
    making.html_of(as_alice.get(at()))
    assert StoredAnswer.objects.get(parameters=asdict(Parameters())).body["votes"] == 40


def test_a_study_without_votes_on_pairs_says_so(arena):
    with pytest.raises(Refused, match="Nobody has voted on a pair of study arena"):
        leaderboard(arena, Parameters(made_from="pairs"))


def test_the_command_prints_what_the_body_says(arena):
    out = io.StringIO()
    call_command("leaderboard", "arena", resamples=200, stdout=out)
    assert "late leads alone: it wins 75.0 (61.0 to 89.0) of 100" in out.getvalue()
    assert re.search(r"\nlate +0\.750 \(0\.610 to 0\.890\) .*  rank 1", out.getvalue())
    out = io.StringIO()
    call_command("leaderboard", "arena", "--json", ties="arena", resamples=200, stdout=out)
    assert json.loads(out.getvalue())["ties"] == "arena"
    with pytest.raises(CommandError, match="There is no study “nowhere”"):
        call_command("leaderboard", "nowhere")
    with pytest.raises(CommandError, match="Nobody answered a question “nice”"):
        call_command("leaderboard", "arena", question="nice")


def test_the_page_its_charts_and_its_files(as_alice, arena):
    page = making.html_of(as_alice.get(at()))
    assert page.count("<html") == 1
    assert "late leads alone" in page and "rank 1" in page
    assert making.html_of(as_alice.get(at(), **HTMX)).lstrip().startswith('<div id="numbers"')
    for name in ("standing", "time"):
        assert as_alice.get(at("leaderboard-chart", name, "json")).json()["layer"]
        assert making.html_of(as_alice.get(at("leaderboard-chart", name, "svg"))).startswith("<svg")
    assert as_alice.get(at("leaderboard-chart", "nothing", "svg")).status_code == 404
    rows = list(csv.DictReader(io.StringIO(making.html_of(as_alice.get(at("leaderboard-table"))))))
    assert {row["statistic"] for row in rows} >= {"win_share", "elo", "win_share.some-judge"}
    assert as_alice.get(at("leaderboard-table", table="nothing")).status_code == 404


def test_the_file_needs_nothing_else_and_escapes_names(as_alice, arena):
    arena.title = "<b>Arena</b>"
    arena.save()
    content = making.html_of(as_alice.get(at("leaderboard-file")))
    assert "<svg" in content and "&lt;b&gt;Arena" in content
    for outside in ("<script", "<link", "src=", 'href="http', "url("):
        assert outside not in content.replace('xmlns:xlink="http', "").replace("url(#", "")


def test_the_api_gives_the_commands_body(as_alice, arena):
    body = as_alice.get(reverse("api-leaderboard", args=["arena"])).json()
    assert body["people"]["places"][0]["generator"] == "late"
    wrong = as_alice.get(reverse("api-leaderboard", args=["arena"]), {"ties": "elo"})
    assert wrong.status_code == 400


def test_annotators_are_refused_and_strangers_find_nothing(client, arena):
    client.force_login(making.person(arena, "bob").user)
    assert client.get(at()).status_code == 403
    stranger = making.person(making.study("elsewhere"), "stranger", role="owner")
    client.force_login(stranger.user)
    assert client.get(at()).status_code == 404


def test_what_is_kept_is_not_computed_again_until_answers_come(as_alice, arena, monkeypatch):
    making.html_of(as_alice.get(at()))
    compute, computed = store.compute_answer, []
    with monkeypatch.context() as patched:
        patched.setattr(
            store,
            "compute_answer",
            lambda q, *a, **k: computed.append(q.name) or compute(q, *a, **k),
        )
        with CaptureQueriesContext(connection) as seen:
            making.html_of(as_alice.get(at()))
    assert "leaderboard" not in computed
    assert len(seen) <= 20
    making.labels(arena, {f"late-{n}": {"ben": 1} for n in range(40)})
    making.html_of(as_alice.get(at()))
    assert StoredAnswer.objects.get(question="leaderboard").body["votes"] == 80


def test_a_large_study_is_counted_by_a_worker(as_alice, arena, monkeypatch):
    monkeypatch.setattr(question, "AT_ONCE", 1)
    page = making.html_of(as_alice.get(at()))
    assert 'hx-trigger="every 3s"' in page
    assert as_alice.get(reverse("api-leaderboard", args=["arena"])).status_code == 202
    assert as_alice.get(at("leaderboard-file")).status_code == 400
    row = StoredAnswer.objects.get(question="leaderboard")
    assert row.parameters["ties"] == "davidson"
    # This, and the questions that were answered.
    assert making.compute_waiting_answers() == 2
    assert "late leads alone" in making.html_of(as_alice.get(at()))


def test_what_was_asked_wrongly_is_said(as_alice, arena):
    assert "Nobody answered a question “nice”" in making.html_of(as_alice.get(at(question="nice")))
    assert "has the tag “shapes”" in making.html_of(as_alice.get(at(slice="shapes")))
    assert "Ties are counted as one of" in making.html_of(as_alice.get(at(ties="elo")))
    assert as_alice.get(at("leaderboard-chart", "standing", "svg", slice="x")).status_code == 400


def test_two_votes_on_a_pair_agree_however_its_images_stood():
    # Image 0 against 1 twice, the second time turned round, and both for image 0; 2 against 3, a tie both
    # times; 4 against 5, left both times, so for different images.
    every = SimpleNamespace(
        first=np.array([0, 1, 2, 3, 4, 5]),
        second=np.array([1, 0, 3, 2, 5, 4]),
        said=np.array([LEFT, RIGHT, TIE, TIE, LEFT, LEFT]),
        prompts=np.array([1, 1, 2, 2, 3, 3]),
        people=SimpleNamespace(images=np.arange(6)),
    )
    assert _ceiling(every, np.ones(6, dtype=bool), 100, 0).value == pytest.approx(2 / 3)

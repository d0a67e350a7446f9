import csv
import io
import uuid

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotations.models import Generator, Image, Pair, PairDraw, PairPlan, PairVote, Prompt
from annotations.pairs import assign, draws, record
from annotations.pairs.expected import expected
from annotations.stored_answers import store
from audit.pages.one_question import pairs as page
from audit.questions.pairs import question
from audit.words import pairs as words
from tests import making
from tests.audit.contests.test_useful_pairs import arena  # noqa: F401
from tests.audit.contests.test_useful_pairs import vote as votes_of_arena

pytestmark = pytest.mark.django_db
HTMX = {"HTTP_HX_REQUEST": "true"}


def at(study, name="pairs", *args):
    return reverse(name, args=[study.slug, *args])


def vote(person, said="left"):
    held = assign.next_pair(annotator=person)
    record.record_vote(
        pair=held.pair, annotator=person, said={"match": said}, submission=uuid.uuid4(), seconds=4
    )


def draw(client, study, **fields):
    usual = {"which": "random", "per_prompt": "1", "overlap": "3", "seed": "0", "do": "draw"}
    return client.post(at(study, "pairs-draw"), {**usual, **fields})


def test_the_owner_draws_pairs_by_a_button(study, as_alice, alice):
    """Four prompts by two generators: one pair each."""
    reply = draw(as_alice, study, overlap="2", quality="1")
    assert (reply.status_code, reply.url) == (302, at(study))
    assert Pair.objects.filter(study=study).count() == 4
    assert PairDraw.objects.get().made_by == alice.user
    plan = PairPlan.objects.get()
    assert (plan.overlap, plan.asks_quality) == (2, True)


def test_a_duel_is_drawn_between_the_two_that_were_chosen(study, as_alice):
    third = Generator.objects.create(study=study, name="third")
    prompt = study.prompts.first()
    Image.objects.create(
        study=study,
        prompt=prompt,
        generator=third,
        key="third",
        file="a.png",
        sha256="a",
        width=1,
        height=1,
    )
    draw(as_alice, study, which="duel", one="early", other="third", per_prompt="5")
    pair = Pair.objects.select_related("first__generator", "second__generator").get()
    assert {pair.first.generator.name, pair.second.generator.name} == {"early", "third"}


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"which": "duel", "one": "early", "other": "early"}, "choose both"),
        ({"per_prompt": "many"}, "“many” is not a whole number"),
        ({"per_prompt": "0"}, "Between 1 and 1000 pairs"),
        ({"overlap": "101"}, "Between 1 and 100 people"),
    ],
)
def test_a_draw_that_cannot_be_is_refused_and_keeps_what_was_typed(
    study, as_alice, fields, sentence
):
    reply = draw(as_alice, study, **fields)
    html = reply.content.decode()
    assert reply.status_code == 409
    assert sentence in html
    assert not Pair.objects.exists()
    assert not PairPlan.objects.exists()
    if "per_prompt" in fields:
        assert f'value="{fields["per_prompt"]}"' in html


def test_pairs_are_drawn_where_a_vote_tells_most_once_people_have_voted(arena, client, tmp_path):  # noqa: F811
    client.force_login(making.person(arena, "alice", role="owner").user)
    early = draw(client, arena, which="information")
    assert early.status_code == 409
    assert "Draw pairs at random first" in early.content.decode()
    votes_of_arena(arena, tmp_path)
    asked = {"which": "information", "per_prompt": "1", "overlap": "3", "seed": "0"}
    part = client.get(at(arena, "pairs-expected"), asked, **HTMX).content.decode()
    assert "This adds at most 40 pairs of 40 prompts. With 3" in part
    assert draw(client, arena, which="information").status_code == 302
    made = PairDraw.objects.latest("pk")
    assert (made.by, made.count) == ("adaptive", 40)


def test_a_study_too_large_for_a_page_is_told_the_command(study, as_alice, monkeypatch):
    monkeypatch.setattr(page, "MOST_IMAGES", 7)
    html = draw(as_alice, study).content.decode()
    assert "manage.py pairs shapes draw" in html
    assert not Pair.objects.exists()


def test_how_pairs_are_asked_is_changed_without_drawing(study, as_alice):
    draw(as_alice, study)
    draw(as_alice, study, do="save", overlap="5")
    assert PairPlan.objects.get().overlap == 5
    assert PairDraw.objects.count() == 1


def test_what_a_draw_asks_of_people_is_said_before_it(study, as_alice):
    """3 of each of 4 prompts would be 12, but two generators make one pair of each: 4. With 3 people
    that is 12 votes, at 6 seconds 72 seconds."""
    html = as_alice.get(at(study)).content.decode()
    assert "This adds 4 pairs of 4 prompts." in html
    assert "With 3 people each that is 12 votes, about 1 minute of work at 6 seconds a vote" in html
    query = {"which": "random", "per_prompt": "1", "overlap": "10", "seed": "0"}
    part = as_alice.get(at(study, "pairs-expected"), query, **HTMX).content.decode()
    assert "40 votes" in part
    assert "<html" not in part


def test_what_is_drawn_already_is_not_expected_again(study, bob):
    draws.draw(study=study, per_prompt=1)
    assert expected(study, per_prompt=3, overlap=3).pairs == 0
    study.images.filter(key="late-0").update(file="", sha256="")
    assert expected(study, per_prompt=3, overlap=3, among=("early", "late")).pairs == 0
    vote(bob)
    assert expected(study, per_prompt=3, overlap=3).seconds == 4


def test_what_a_large_study_adds_is_said_as_a_bound(study, monkeypatch):
    monkeypatch.setattr("annotations.pairs.expected.COUNTED", 7)
    found = expected(study, per_prompt=3, overlap=2)
    assert (found.pairs, found.votes, found.exact) == (12, 24, False)
    assert "This adds at most 12 pairs of 4 prompts." in words.expected(found, connects=False)


def test_the_page_says_how_far_and_how_even(study, as_alice, bob, charlie):
    draw(as_alice, study, quality="1")
    PairPlan.objects.update(asks_quality=False)
    for person in (bob, bob, charlie):
        vote(person)
    body = question.balance(study)
    first_left = PairVote.objects.filter(left="first").count()
    assert (body["pairs"], body["votes"], body["people"]) == (4, 3, 2)
    assert body["questions"] == [{"question": "match", "votes": 3, "people": 2}]
    # Both generators are in each pair; one of the two stood left.
    assert [(one["name"], one["pairs"], one["sided"]) for one in body["generators"]] == [
        ("early", 4, 3),
        ("late", 4, 3),
    ]
    assert sum(one["left"] for one in body["generators"]) == 3
    html = as_alice.get(at(study)).content.decode()
    assert "4 pairs, 3 people each: 3 of 12 votes by 2 people; 0 pairs are finished." in html
    assert f"stood left in {first_left} of 3 votes" in html


def test_the_balance_is_a_file_and_a_text_too(study, as_alice, bob):
    """Four pairs of two generators, one vote of each by 3 people wanted."""
    draw(as_alice, study)
    vote(bob)
    content = as_alice.get(at(study, "question-table", "pairs")).content.decode()
    rows = {
        (row["table"], row["row"], row["column"]): row["value"]
        for row in csv.DictReader(io.StringIO(content))
    }
    assert rows["votes", "votes", "votes"] == "1" and rows["votes", "votes", "wanted"] == "12"
    assert rows["generators", "early", "pairs"] == rows["generators", "late", "pairs"] == "4"
    left = [rows["generators", name, "left"] for name in ("early", "late")]
    assert sorted(left) == ["0", "1"]
    assert rows["slices", "all prompts", "least"] == "4"
    out = io.StringIO()
    call_command("answer", "pairs", "--study=shapes", stdout=out)
    assert "4 pairs, 3 people each: 1 of 12 votes by 1 person" in out.getvalue()


def test_generators_that_no_pair_connects_are_named_by_slice(study):
    """The first prompt is compared between two others than the rest, and has a tag of its own."""
    prompt = Prompt.objects.filter(study=study).first()
    Prompt.objects.filter(pk=prompt.pk).update(tags=["own"])
    Prompt.objects.filter(study=study).exclude(pk=prompt.pk).update(tags=["rest"])
    for name in ("third", "fourth"):
        Image.objects.create(
            study=study,
            prompt=prompt,
            generator=Generator.objects.create(study=study, name=name),
            key=name,
            file="a.png",
            sha256="a",
            width=1,
            height=1,
        )
    draws.duel(study=study, one="early", other="late")
    draws.duel(study=study, one="third", other="fourth")
    slices = {one["tag"]: one for one in question.balance(study)["slices"]}
    apart = [["early", "late"], ["fourth", "third"]]
    assert sorted(slices[""]["apart"]) == apart
    assert sorted(slices["own"]["apart"]) == apart
    assert slices["rest"]["apart"] == []
    assert (slices[""]["pairs"], slices["own"]["pairs"], slices["rest"]["pairs"]) == (5, 2, 3)
    assert (slices[""]["least"], slices[""]["most"]) == (1, 4)


def test_sides_are_called_uneven_only_beyond_chance():
    """Of 100 coins 35 to 65 are within three standard deviations of 5."""
    assert words.range_by_chance(100) == (35, 65)
    assert "as even as chance" in words._sides(65, 100)
    assert "more uneven than chance" in words._sides(66, 100)


def test_the_pairs_of_a_large_study_are_counted_by_a_worker_and_kept(
    study, as_alice, bob, monkeypatch, django_capture_on_commit_callbacks
):
    draw(as_alice, study)
    monkeypatch.setattr(question, "AT_ONCE", 3)
    monkeypatch.setattr(store, "SHARE_OF_TIME", 1e9)

    def shown():
        return as_alice.get(at(study), **HTMX).content.decode()

    html = as_alice.get(at(study)).content.decode()
    assert "A worker will count them" in html and 'hx-trigger="every 3s"' in html
    assert "Balance" not in html
    assert making.compute_waiting_answers() == 1
    assert "4 pairs, 3 people each" in shown()
    assert "<html" not in shown() and "every 3s" not in shown()
    with CaptureQueriesContext(connection) as queries:
        shown()
    assert not any("annotations_pairvote" in query["sql"] for query in queries)
    # A vote makes a worker count again, and so does one that is taken back.
    with django_capture_on_commit_callbacks(execute=True):
        vote(bob)
    assert "New answers have arrived since" in shown() and "0 of 12 votes" in shown()
    assert making.compute_waiting_answers() == 1
    assert "1 of 12 votes by 1 person; 0 pairs are finished" in shown()
    with django_capture_on_commit_callbacks(execute=True):
        record.take_back(pair=Pair.objects.get(votes__isnull=False), annotator=bob)
    assert "New answers have arrived since" in shown()
    assert making.compute_waiting_answers() == 1
    assert "0 of 12 votes" in shown()
    # While votes keep coming, a worker counts for a tenth of the time at most.
    monkeypatch.setattr(store, "SHARE_OF_TIME", 1e-9)
    with django_capture_on_commit_callbacks(execute=True):
        vote(bob)
    assert "New answers have arrived since" in shown()


def queries_of(client, study):
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert client.get(at(study)).status_code == 200
    return len(queries)


def test_more_pairs_take_no_more_queries(as_alice, study):
    draws.draw(study=study, per_prompt=1)
    as_alice.get(at(study))
    few = queries_of(as_alice, study)
    for number in range(4, 9):
        prompt = Prompt.objects.create(
            study=study, key=f"p{number}", text="more", tags=[f"t{number}"]
        )
        for generator in study.generators.all():
            Image.objects.create(
                study=study,
                prompt=prompt,
                generator=generator,
                key=f"{generator.name}-{number}",
                file="a.png",
                sha256="a",
                width=1,
                height=1,
            )
    draws.draw(study=study, per_prompt=1)
    assert Pair.objects.count() == 9
    assert queries_of(as_alice, study) == few


def rows_of(client, study, name):
    reply = client.get(at(study, "pairs-file", name))
    assert reply["Content-Disposition"] == f'attachment; filename="shapes-{name}.csv"'
    return list(csv.DictReader(io.StringIO(b"".join(reply.streaming_content).decode())))


def test_pairs_and_votes_are_files_and_votes_come_back_from_one(study, as_alice, bob):
    draw(as_alice, study)
    vote(bob)
    pairs = rows_of(as_alice, study, "pairs")
    assert len(pairs) == 4
    assert {(row["first_generator"], row["second_generator"], row["chance"]) for row in pairs} == {
        ("early", "late", "1.0")
    }
    (row,) = rows_of(as_alice, study, "votes")
    assert row["rater"] != "bob"
    row["rater"] = "somebody else"
    reply = upload(as_alice, study, table([row]))
    assert reply.status_code == 302
    assert PairVote.objects.filter(annotator__name="somebody else").count() == 1
    assert as_alice.get(at(study, "pairs-file", "other")).status_code == 404


def table(rows):
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def upload(client, study, text):
    file = SimpleUploadedFile("votes.csv", text.encode())
    return client.post(at(study, "pairs-import"), {"file": file})


def test_a_file_with_bad_lines_is_refused_line_by_line_and_nothing_is_taken(study, as_alice):
    good = {
        "pair_id": "1",
        "prompt_id": "p0",
        "first": "early-0",
        "second": "late-0",
        "rater": "zoe",
        "question": "match",
        "value": "tie",
    }
    reply = upload(
        as_alice, study, table([good, {**good, "value": "blue"}, {**good, "first": "x"}])
    )
    html = reply.content.decode()
    assert reply.status_code == 422
    assert "Line 3: “blue” is no vote" in html
    assert "Line 4: the study has no image “x”." in html
    assert not PairVote.objects.exists()
    assert not Pair.objects.exists()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"pair_id,prompt_id\n1,p0\n", "The file has no column first, second, rater"),
        (b"\xff\xfe\x00", "not text in UTF-8"),
        (b"x" * 10_000_001, "larger than 10 MB"),
    ],
)
def test_a_file_that_is_no_table_of_votes_is_refused_in_a_sentence(
    study, as_alice, content, sentence
):
    file = SimpleUploadedFile("votes.csv", content)
    reply = as_alice.post(at(study, "pairs-import"), {"file": file})
    assert reply.status_code == 422
    assert sentence in reply.content.decode()


def test_what_a_file_brought_is_said_line_by_line_in_the_language_of_the_page(study, as_alice):
    row = {"pair_id": "1", "prompt_id": "p0", "first": "early-0", "second": "late-0"}
    rows = [
        {**row, "value": "first"},
        {**row, "prompt_id": "p1", "first": "early-1", "second": "late-1", "value": "cannot_tell"},
    ]
    file = SimpleUploadedFile("votes.csv", table(rows).encode())
    address = f"{at(study, 'pairs-import')}?lang=de"
    html = as_alice.post(address, {"file": file, "judge": "clip"}, follow=True).content.decode()
    assert "clip: 1 neue Stimmen. 1 Zeilen haben keine Präferenz." in html


def test_researchers_look_and_do_not_draw(study, client):
    rita = making.person(study, "rita", role="researcher")
    client.force_login(rita.user)
    html = client.get(at(study)).content.decode()
    assert "The study’s owner draws them here." in html
    assert "Draw the pairs" not in html
    assert draw(client, study).status_code == 403

"""An answer and the next lease by one statement on PostgreSQL: all of it or nothing, and the same as in
steps, which is what SQLite does here."""

import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotations.errors import LabelRefused
from annotations.forms.versions import use_form
from annotations.labelling import assign, at_once, record
from annotations.labelling.image_order import Candidate, Walk
from annotations.labelling.reserve import keep_reserve
from annotations.models import Annotation, Answer, Assignment, Image, Membership
from jurybox_formats.forms.papers import geneval2_atoms, geneval_crowd
from tests import making
from tests.annotations.labelling.test_reserve import again, keys, places_are_those_in_use
from tests.waiting import PATIENCE

pytestmark = pytest.mark.django_db


def sent(person: Membership, image: Image, **changes) -> dict:
    return {
        "image": image,
        "annotator": person,
        "form": person.study.form,
        "answers": {"aligned": 1, "quality": 0},
        "submission": uuid.uuid4(),
        **changes,
    }


def answer(person: Membership, image: Image, **changes) -> Assignment | None:
    return record.record_and_give_next(**sent(person, image, **changes))


@pytest.fixture
def in_steps(monkeypatch) -> list[Image]:
    """The images of the answers that went in steps."""
    seen = []
    steps = record._in_steps

    def noted(**given):
        seen.append(given["image"])
        return steps(**given)

    monkeypatch.setattr(record, "_in_steps", noted)
    return seen


needs_postgresql = pytest.mark.skipif(
    connection.vendor != "postgresql", reason="SQLite goes in steps."
)


def test_an_answer_in_the_middle_of_a_study_takes_one_statement_and_a_search(bob):
    image = assign.next_image(annotator=bob).image
    with CaptureQueriesContext(connection) as captured:
        lease = answer(again(bob), image)
    assert lease is not None and lease.image != image
    said = [q["sql"] for q in captured if "ready AS" in q["sql"]]
    writes = [q["sql"] for q in captured if q["sql"].startswith(("INSERT", "UPDATE", " UPDATE"))]
    if connection.vendor == "postgresql":
        assert len(said) == 1 and not writes
    else:
        assert not said and writes


def test_what_is_kept_is_what_was_sent_and_the_lease_is_whole(bob):
    image = assign.next_image(annotator=bob).image
    submission = uuid.uuid4()
    before = timezone.now()
    person = again(bob)
    lease = answer(person, image, submission=submission, seconds=4.5)
    kept = Annotation.objects.get()
    assert (kept.submission, kept.seconds, kept.image, kept.revision) == (submission, 4.5, image, 1)
    assert before <= kept.submitted_at <= timezone.now()
    said = kept.answers.order_by("pk").values_list("question", "value", "text", "atom")
    assert list(said) == [("aligned", 1, "", None), ("quality", 0, "", None)]
    stored = Assignment.objects.select_related("image__prompt").get(annotator=bob, state="leased")
    assert (lease.pk, lease.image, lease.leased_until) == (
        stored.pk,
        stored.image,
        stored.leased_until,
    )
    assert lease.image.prompt == stored.image.prompt
    assert again(bob).walk == person.walk
    assert places_are_those_in_use()


def test_the_images_come_in_the_order_in_which_steps_would_give_them(bob, charlie):
    expected = [making.label(charlie).image.key for _ in range(8)]
    lease, came = assign.next_image(annotator=bob), []
    while lease is not None:
        came.append(lease.image.key)
        lease = answer(again(bob), lease.image)
    assert came == expected


def test_what_is_in_reserve_comes_next_and_takes_no_second_place(bob, in_steps):
    held = assign.next_image(annotator=bob)
    reserve = keep_reserve(annotator=again(bob))
    came = []
    for _ in reserve:
        held = answer(again(bob), held.image)
        came.append(held.image.key)
        assert places_are_those_in_use()
    assert came == keys(reserve)
    if connection.vendor == "postgresql":
        assert not in_steps


def test_the_same_submission_again_finds_its_row_and_the_image_given_for_it(bob):
    first = sent(again(bob), assign.next_image(annotator=bob).image)
    lease = record.record_and_give_next(**first)
    # As the first one was sent, and as the page that got the reply would.
    for person in (first["annotator"], again(bob)):
        assert record.record_and_give_next(**{**first, "annotator": person}) == lease
    assert Annotation.objects.count() == 1
    assert Answer.objects.count() == 2
    assert places_are_those_in_use()


def test_a_submission_that_only_a_revision_knows_is_refused_for_another_image(bob):
    first = sent(again(bob), assign.next_image(annotator=bob).image)
    lease = record.record_and_give_next(**first)
    record.record_label(**sent(again(bob), first["image"]))
    with pytest.raises(LabelRefused, match="used for another image"):
        answer(again(bob), lease.image, submission=first["submission"])
    assert Annotation.objects.count() == 1


@pytest.mark.parametrize(
    ("form", "answers", "kept"),
    [
        (
            geneval2_atoms.FORM,
            {"atom.0": 1, "atom.1": 0, "quality": 1},
            [("atom", 1, ""), ("atom", 0, ""), ("quality", 1, ""), ("aligned", 0, "")],
        ),
        (
            geneval_crowd.FORM,
            {"objects": "circle", "count-0": "1", "color-0": "red", "realism-0": 3, "fit": 4},
            [
                ("objects", None, "circle"),
                ("count-0", 1, ""),
                ("color-0", None, "red"),
                ("realism-0", 3, ""),
                ("fit", 4, ""),
                ("aligned", 1, ""),
            ],
        ),
    ],
)
def test_numbers_texts_and_what_follows_from_them_are_kept_together(
    bob, in_steps, form, answers, kept
):
    use_form(study=bob.study, form=form)
    lease = assign.next_image(annotator=again(bob))
    answer(again(bob), lease.image, answers=answers)
    said = Answer.objects.order_by("pk").values_list("question", "value", "text")
    assert sorted(said) == sorted(kept)
    if connection.vendor == "postgresql":
        assert in_steps == []


@needs_postgresql
def test_who_was_read_before_another_tab_moved_on_goes_in_steps(bob, in_steps):
    image = assign.next_image(annotator=bob).image
    early = again(bob)
    keep_reserve(annotator=again(bob))
    lease = answer(early, image)
    assert in_steps == [image]
    assert lease.image_id == again(bob).assignments.get(state="leased").image_id
    assert places_are_those_in_use()


@needs_postgresql
def test_where_the_last_place_is_gone_nothing_is_written_and_steps_find_another(
    bob, in_steps, monkeypatch
):
    image = assign.next_image(annotator=bob).image
    full = Image.objects.exclude(pk=image.pk).order_by("pk").first()
    Image.objects.filter(pk=full.pk).update(taken=bob.study.overlap)
    person = again(bob)
    annotation = record._new(image, person, bob.study.form, uuid.uuid4(), None)
    offered = Candidate(full.pk, full.public_id)
    with monkeypatch.context() as patched:
        patched.setattr(Walk, "next", lambda walk: offered)
        assert at_once.save_and_lease(annotation, []) is None
    assert not Annotation.objects.exists()
    assert again(bob).assignments.get().state == "leased"
    assert answer(person, image).image != full


def test_who_has_done_their_share_is_given_no_more(bob, in_steps):
    image = assign.next_image(annotator=bob).image
    Membership.objects.filter(pk=bob.pk).update(quota=1)
    assert answer(again(bob), image) is None
    assert in_steps == [image]


def test_a_study_that_is_being_deleted_takes_no_answer(bob):
    image = assign.next_image(annotator=bob).image
    person = again(bob)
    assert person.study.deleted_at is None
    type(bob.study).objects.filter(pk=bob.study_id).update(deleted_at=timezone.now())
    with pytest.raises(LabelRefused, match="being deleted"):
        answer(person, image)
    assert not Annotation.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_sixteen_people_at_once_give_each_image_exactly_its_places():
    study = making.study("crowd", prompts=10, overlap=3)
    people = [making.person(study, f"person-{n}") for n in range(16)]

    def label_all(person: Membership) -> int:
        try:
            done, lease = 0, assign.next_image(annotator=person)
            while lease is not None:
                # Each other answer is sent twice, with what a page knew before.
                one = sent(again(person), lease.image)
                lease = record.record_and_give_next(**one)
                if done % 2:
                    lease = record.record_and_give_next(**one)
                done += 1
            return done
        finally:
            connection.close()

    with ThreadPoolExecutor(max_workers=16) as pool:
        done = list(pool.map(label_all, people))
    # 20 images × 3 places
    assert sum(done) == 60 == Annotation.objects.count()
    assert Answer.objects.count() == 120
    assert set(Image.objects.values_list("taken", flat=True)) == {3}
    assert places_are_those_in_use()
    assert set(Assignment.objects.values_list("state", flat=True)) == {"answered"}


@pytest.mark.django_db(transaction=True)
def test_two_tabs_that_send_two_answers_at_once_leave_one_lease():
    study = making.study("tabs", prompts=6)
    bob = making.person(study, "bob")

    def send(image: Image) -> None:
        try:
            answer(again(bob), image)
        finally:
            connection.close()

    for _ in range(4):
        image = assign.next_image(annotator=again(bob)).image
        with ThreadPoolExecutor(max_workers=4) as pool:
            list(pool.map(send, [image] * 4))
        assert Assignment.objects.filter(annotator=bob, state="leased").count() == 1
        # The three later ones are corrections.
        assert Annotation.objects.get(image=image).revision == 4
        assert places_are_those_in_use()


@needs_postgresql
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "changed", ["the person", "the next image", "the lease in hand", "the reserve"]
)
def test_a_row_that_somebody_changes_meanwhile_is_waited_for_and_all_is_written(
    changed, in_steps, monkeypatch
):
    """The statement reads the rows as they were, waits, and finds them changed but still as it needs them."""
    study = making.study("meanwhile", prompts=10, overlap=3)
    bob = making.person(study, "bob")
    image = assign.next_image(annotator=bob).image
    if changed == "the reserve":
        following = keep_reserve(annotator=again(bob))[0]
    else:
        following = Image.objects.get(pk=Walk(again(bob)).next().image_id)
    renewed = "UPDATE annotations_assignment SET leased_until = leased_until WHERE image_id = %s"
    others = {
        "the person": ("UPDATE annotations_membership SET name = 'robert' WHERE id = %s", bob),
        "the next image": (
            "UPDATE annotations_image SET taken = taken + 1 WHERE id = %s",
            following,
        ),
        "the lease in hand": (renewed, image),
        "the reserve": (renewed, following),
    }
    statement, row = others[changed]
    before = Image.objects.get(pk=following.pk).taken

    def send() -> Assignment | None:
        try:
            return answer(again(bob), image)
        finally:
            connection.close()

    with ThreadPoolExecutor(max_workers=1) as pool:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute(statement, [row.pk])
            sent_meanwhile = pool.submit(send)
            somebody_waits_for(connection)
        lease = sent_meanwhile.result(timeout=PATIENCE)
    assert lease.image_id == following.pk
    assert in_steps == []
    assert Annotation.objects.get().image == image
    assert set(again(bob).assignments.values_list("image", "state")) >= {
        (image.pk, "answered"),
        (following.pk, "leased"),
    }
    more = {"the next image": 2, "the reserve": 0}.get(changed, 1)
    assert Image.objects.get(pk=following.pk).taken == before + more


def somebody_waits_for(mine) -> None:
    """Until another connection waits for what this one has locked."""
    with mine.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        [(own,)] = cursor.fetchall()
        for _ in range(3000):
            cursor.execute(
                "SELECT count(*) FROM pg_locks WHERE NOT granted AND %s = ANY(pg_blocking_pids(pid))",
                [own],
            )
            [(waiting,)] = cursor.fetchall()
            if waiting:
                return
            cursor.execute("SELECT pg_sleep(.01)")
    raise AssertionError("Nobody waits.")

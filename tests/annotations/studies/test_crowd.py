"""A crowd's workers: an id alone opens one place and ends nobody's session; the code is earned."""

import hashlib
import hmac
import re
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from annotations.errors import LabelRefused, StudyRefused
from annotations.labelling import assign, record
from annotations.models import Annotation, Assignment, HandedBack, Image, Invitation, Membership
from annotations.studies import crowd, invitations
from annotations.studies import settings as study_settings
from tests import making

pytestmark = pytest.mark.django_db
FINISHED = "C0DE-77"


@pytest.fixture
def link(study):
    return crowd.open_to_crowd(
        study=study, images_each=2, completion_code=FINISHED, completion_url="https://x.example/"
    )


@pytest.fixture
def signed_link(study):
    return crowd.open_to_crowd(study=study, completion_code=FINISHED, signed=True)


def door(link):
    return reverse("crowd", args=[invitations.token_of(link)])


def label_page(study):
    return reverse("label", args=[study.slug])


def code_on(page):
    return re.search(r'id="resume-code">([^<]+)<', page.content.decode())[1]


def begin(client, link, worker="W42", **more):
    """As in a browser: open the link, press Start. Returns the code that the worker saw."""
    code = code_on(client.get(door(link), {"PROLIFIC_PID": worker}, **more))
    answer = client.post(door(link), {"worker": worker, "chosen_code": code}, **more)
    assert answer.status_code == 302
    return code


def skip_all(member):
    """Skip until an image comes for the second time; how many were skipped."""
    seen = set()
    while (lease := assign.next_image(annotator=member)) and lease.image_id not in seen:
        seen.add(lease.image_id)
        assign.skip(assignment=lease)
    if lease is not None:
        assign.skip(assignment=lease)
    return len(seen)


def answer(member, image):
    return record.record_label(
        image=image,
        annotator=member,
        form=member.study.form,
        answers={"aligned": 1, "quality": 1},
        submission=uuid.uuid4(),
    )


@pytest.mark.parametrize("key", ["PROLIFIC_PID", "workerId"])
def test_a_worker_comes_without_a_password_and_labels(client, link, study, key):
    page = client.get(door(link), {key: "W42", "STUDY_ID": "s"})
    assert "W42" in page.content.decode()
    assert not study.memberships.exists()
    answer = client.post(door(link), {"worker": "W42"})
    assert answer.headers["Location"] == label_page(study)
    assert client.get(label_page(study)).status_code == 200
    member = study.memberships.get()
    assert (member.worker, member.role, member.quota) == ("W42", "annotator", 2)
    assert not member.user.has_usable_password()


@pytest.mark.parametrize("worker", ["", "a b", "<script>", "x" * 101])
def test_a_worker_without_a_proper_number_is_told_so(client, link, worker):
    response = client.get(door(link), {"PROLIFIC_PID": worker})
    assert response.status_code == 409
    assert "worker number" in response.content.decode()


# --- Whose place it is --------------------------------------------------------------------------


@pytest.mark.parametrize("code", ["", "AAAA-AAAA", "!!!", "c" * 300])
def test_the_id_alone_neither_opens_nor_ends_another_browsers_place(client, link, study, code):
    begin(client, link)
    other = type(client)()
    page = other.get(door(link), {"PROLIFIC_PID": "W42"}).content.decode()
    assert "another browser" in page
    refused = other.post(door(link), {"worker": "W42", "code": code})
    assert refused.status_code == 409
    assert "another browser" in refused.content.decode()
    assert other.get(label_page(study)).status_code == 302
    assert client.get(label_page(study)).status_code == 200


def test_with_the_code_a_worker_goes_on_elsewhere_and_the_first_browser_ends(client, link, study):
    code = begin(client, link)
    other = type(client)()
    given = {"worker": "W42", "code": f" {code.lower().replace('-', ' ')} "}
    assert other.post(door(link), given).status_code == 302
    assert study.memberships.count() == 1
    assert client.get(label_page(study)).status_code == 302
    assert other.get(label_page(study)).status_code == 200


def test_the_same_browser_opens_the_link_again_and_goes_on(client, link, study):
    begin(client, link)
    page = client.get(door(link), {"PROLIFIC_PID": "W42"}).content.decode()
    assert "Continue" in page
    assert "resume-code" not in page
    assert client.post(door(link), {"worker": "W42"}).status_code == 302
    assert client.get(label_page(study)).status_code == 200


def test_a_code_opens_no_other_workers_place(client, link):
    begin(client, link, "W1")
    code = begin(type(client)(), link, "W2")
    thief = type(client)()
    assert thief.post(door(link), {"worker": "W1", "code": code}).status_code == 409


def test_only_a_hash_of_the_code_and_of_the_address_is_kept(client, link, study):
    code = begin(client, link, REMOTE_ADDR="203.0.113.7")
    row = str(study.memberships.values().get())
    assert code not in row
    assert code.replace("-", "") not in row
    assert "203.0.113.7" not in row
    assert len(study.memberships.get().address_hash) == 64


def test_the_owner_gives_a_worker_who_lost_the_code_a_new_one(client, study, alice, link):
    old = begin(client, link)
    member = study.memberships.get(worker="W42")
    owner = type(client)()
    owner.force_login(alice.user)
    address = reverse("person", args=[study.slug, member.pk])
    page = owner.post(address, {"do": "new-code"}, HTTP_HX_REQUEST="true").content.decode()
    code = re.search(r"The new code of W42 is ([A-Z0-9-]{9})", page)[1]
    assert owner.get(reverse("people", args=[study.slug])).content.decode().count(code) == 0
    other = type(client)()
    assert other.post(door(link), {"worker": "W42", "code": old}).status_code == 409
    assert other.post(door(link), {"worker": "W42", "code": code}).status_code == 302


def test_nobody_but_a_worker_has_such_a_code(bob):
    with pytest.raises(StudyRefused, match="Only a crowd worker"):
        crowd.give_new_code(member=bob)


def test_a_worker_from_before_there_were_codes_needs_one_from_the_owner(link, study):
    member = crowd.enter_from_crowd(invitation=link, worker="W1")
    assert member.resume_hash == ""
    for code in ("", "AAAA-AAAA"):
        with pytest.raises(crowd.CodeNeeded):
            crowd.enter_from_crowd(invitation=link, worker="W1", code=code)
    code = crowd.give_new_code(member=member)
    assert crowd.enter_from_crowd(invitation=link, worker="W1", code=code) == member


def test_a_signed_id_opens_its_place_in_any_browser(client, signed_link, study):
    key = crowd.signing_key(signed_link)
    # As the survey tool makes it: HMAC-SHA256 of the number with the key's text, in hexadecimal.
    signature = hmac.new(key.encode(), b"W42", hashlib.sha256).hexdigest()
    given = {"worker": "W42", "signature": signature}
    page = client.get(door(signed_link), {"PROLIFIC_PID": "W42", "signature": signature})
    assert "resume-code" not in page.content.decode()
    assert client.post(door(signed_link), given).status_code == 302
    other = type(client)()
    assert other.post(door(signed_link), given).status_code == 302
    assert other.get(label_page(study)).status_code == 200
    assert client.get(label_page(study)).status_code == 302
    assert study.memberships.count() == 1


@pytest.mark.parametrize("worker", ["W43", "W42"])
def test_a_link_for_signed_ids_takes_no_other(client, signed_link, study, worker):
    signature = crowd.signature_of(invitation=signed_link, worker="W42")
    if worker == "W42":
        signature = signature[:-1] + ("0" if signature[-1] != "0" else "1")
    for data in ({"worker": worker}, {"worker": worker, "signature": signature}):
        for verb in (client.get, client.post):
            refused = verb(door(signed_link), data)
            assert refused.status_code == 409
            assert "not signed" in refused.content.decode()
    assert not study.memberships.exists()


def test_each_signed_link_has_a_key_of_its_own_that_only_the_owner_sees(
    client, study, alice, signed_link
):
    another = crowd.open_to_crowd(study=study, completion_code=FINISHED, signed=True)
    assert crowd.signing_key(another) != crowd.signing_key(signed_link)
    rita = making.person(study, "rita", role="researcher")
    for member, sees in ((alice, True), (rita, False)):
        client.force_login(member.user)
        page = client.get(reverse("people", args=[study.slug])).content.decode()
        assert (crowd.signing_key(signed_link) in page) == sees


def test_a_worker_cannot_come_in_over_somebodys_account_and_takes_no_place(as_alice, link, study):
    response = as_alice.post(door(link), {"worker": "alice"})
    assert response.status_code == 409
    assert "Log out first" in response.content.decode()
    assert not study.memberships.exclude(worker="").exists()


def test_a_worker_who_was_removed_is_logged_out_and_stays_out(client, link, study):
    code = begin(client, link)
    study_settings.remove(member=study.memberships.get())
    assert client.get(label_page(study)).status_code == 302
    refused = client.post(door(link), {"worker": "W42", "code": code})
    assert refused.status_code == 409
    assert "no longer part" in refused.content.decode()


def test_a_closed_study_takes_nobody_new_but_lets_workers_back(link, study):
    known = crowd.enter_from_crowd(invitation=link, worker="W1", chosen_code="ABCD-EFGH")
    study.status = "closed"
    study.save()
    link.refresh_from_db()
    assert crowd.enter_from_crowd(invitation=link, worker="W1", code="ABCD-EFGH") == known
    with pytest.raises(StudyRefused, match="takes nobody new"):
        crowd.enter_from_crowd(invitation=link, worker="W2")


@pytest.mark.django_db(transaction=True)
def test_eight_browsers_at_once_with_one_id_are_one_place():
    study = making.study("rush")
    link = crowd.open_to_crowd(study=study, completion_code=FINISHED)

    def enter(number):
        code = f"ABCD-EFG{crowd.LETTERS[number]}"
        try:
            there = Invitation.objects.get(pk=link.pk)
            crowd.enter_from_crowd(invitation=there, worker="W42", chosen_code=code)
            return True
        except crowd.CodeNeeded:
            return False
        finally:
            connection.close()

    with ThreadPoolExecutor(max_workers=8) as pool:
        assert sum(pool.map(enter, range(8))) == 1
    assert study.memberships.count() == 1


# --- How many places an address has -------------------------------------------------------------


def come(link, count, address, *, start=0):
    """Workers from one address; how many got a place."""
    came = 0
    for number in range(start, start + count):
        try:
            crowd.enter_from_crowd(invitation=link, worker=f"{address}-{number}", address=address)
            came += 1
        except crowd.AddressFull:
            pass
    return came


def test_one_address_does_not_open_thirty_places(client, link, study):
    for number in range(30):
        worker = {"worker": f"W{number}"}
        type(client)().post(door(link), worker, REMOTE_ADDR="203.0.113.7")
    assert study.memberships.count() == 20
    last = type(client)().post(door(link), {"worker": "W99"}, REMOTE_ADDR="203.0.113.7")
    assert last.status_code == 409
    assert "your network" in last.content.decode()
    assert (
        type(client)().post(door(link), {"worker": "W99"}, REMOTE_ADDR="203.0.113.8").status_code
        == 302
    )


def test_who_has_a_place_keeps_it_when_their_address_is_full(link, study):
    crowd.set_places_per_address(invitation=link, places=2)
    assert come(link, 3, "203.0.113.7") == 2
    member = study.memberships.get(worker="203.0.113.7-0")
    code = crowd.give_new_code(member=member)
    given = {"worker": member.worker, "code": code, "address": "203.0.113.7"}
    assert crowd.enter_from_crowd(invitation=link, **given) == member


def test_another_link_of_the_study_has_no_places_more_for_an_address(study, link):
    assert come(link, 20, "203.0.113.7") == 20
    another = crowd.open_to_crowd(study=study, completion_code=FINISHED)
    assert come(another, 1, "203.0.113.7", start=20) == 0


def test_the_addresses_of_one_ipv6_network_are_one(link):
    addresses = [f"2001:db8:1:2::{number:x}" for number in range(1, 25)]
    assert sum(come(link, 1, address) for address in addresses) == 20
    assert come(link, 1, "2001:db8:1:3::1") == 1


def test_an_ipv4_address_in_the_clothes_of_ipv6_is_the_same(link):
    crowd.set_places_per_address(invitation=link, places=1)
    assert come(link, 1, "203.0.113.7") == 1
    assert come(link, 1, "::ffff:203.0.113.7") == 0


def test_the_owner_sets_the_places_and_sees_who_was_turned_away(as_alice, study, link):
    address = reverse("invitation-places", args=[study.slug, link.pk])
    assert as_alice.post(address, {"places": "3"}).status_code == 302
    link.refresh_from_db()
    assert come(link, 5, "203.0.113.7") == 3
    page = as_alice.get(reverse("people", args=[study.slug])).content.decode()
    assert "2 visits turned away" in page
    for wrong in ("0", "many", "1000000"):
        assert as_alice.post(address, {"places": wrong}).status_code == 409


@pytest.mark.django_db(transaction=True)
def test_ten_at_once_get_no_more_places_than_their_address_has():
    study = making.study("rush")
    link = crowd.open_to_crowd(study=study, completion_code=FINISHED, places_per_address=3)

    def enter(number):
        try:
            there = Invitation.objects.get(pk=link.pk)
            return come(there, 1, "203.0.113.7", start=number)
        finally:
            connection.close()

    with ThreadPoolExecutor(max_workers=10) as pool:
        assert sum(pool.map(enter, range(10))) == 3
    assert study.memberships.count() == 3
    link.refresh_from_db()
    assert link.turned_away == 7


# --- The completion code ------------------------------------------------------------------------


def finished_page(client, study):
    return client.get(reverse("finished", args=[study.slug])).content.decode()


def test_the_code_is_shown_when_the_images_are_answered_and_not_before(client, link, study):
    begin(client, link)
    member = study.memberships.get()
    assert FINISHED not in finished_page(client, study)
    making.label(member)
    assert FINISHED not in finished_page(client, study)
    making.label(member)
    page = finished_page(client, study)
    assert FINISHED in page
    assert "https://x.example/" in page
    assert FINISHED in client.get(label_page(study)).content.decode()


@pytest.mark.parametrize("images_each", [8, None, 3])
def test_one_answer_and_the_rest_skipped_earns_no_code(client, study, images_each):
    link = crowd.open_to_crowd(study=study, images_each=images_each, completion_code=FINISHED)
    begin(client, link)
    member = study.memberships.get()
    making.label(member)
    assert skip_all(member) == 7
    assert FINISHED not in finished_page(client, study)
    assert FINISHED not in client.get(label_page(study)).content.decode()


def test_what_was_skipped_comes_again_and_answered_it_earns_the_code(client, study):
    link = crowd.open_to_crowd(study=study, images_each=8, completion_code=FINISHED)
    begin(client, link)
    member = study.memberships.get()
    making.label(member)
    skip_all(member)
    assert "they come again at the end" in finished_page(client, study)
    for _ in range(7):
        making.label(member)
    assert FINISHED in finished_page(client, study)


def test_skipped_images_come_again_each_in_its_turn(study, link):
    study.overlap = 1
    study.save()
    member = crowd.enter_from_crowd(invitation=link, worker="W1")
    skip_all(member)
    first_round, second_round = [], []
    for seen in (first_round, second_round):
        for _ in range(8):
            lease = assign.next_image(annotator=member)
            seen.append(lease.image_id)
            assign.skip(assignment=lease)
    assert sorted(first_round) == sorted(study.images.values_list("pk", flat=True))
    assert sorted(second_round) == sorted(first_round)
    assert set(study.images.values_list("taken", flat=True)) == {0}


def test_a_skip_of_somebody_who_is_no_worker_stays_a_skip(bob):
    assert skip_all(bob) == 8
    assert assign.next_image(annotator=bob) is None


def test_skipped_images_that_others_filled_earn_no_code_and_the_page_says_so(client, study, bob):
    study.overlap = 1
    study.save()
    link = crowd.open_to_crowd(study=study, images_each=5, completion_code=FINISHED)
    begin(client, link)
    member = study.memberships.get(worker="W42")
    making.label(member)
    skip_all(member)
    Image.objects.filter(study=study).update(taken=1)
    for page in (finished_page(client, study), client.get(label_page(study)).content.decode()):
        assert FINISHED not in page
        assert "skipped 7, which others have answered since" in page


def test_who_answered_all_there_was_gets_the_code_though_it_was_less_than_their_share(
    client, study
):
    link = crowd.open_to_crowd(study=study, images_each=50, completion_code=FINISHED)
    begin(client, link)
    for _ in range(8):
        making.label(study.memberships.get())
    assert FINISHED in finished_page(client, study)


def test_a_worker_who_came_when_nothing_was_left_gets_no_code(client, study, link):
    Image.objects.update(taken=study.overlap)
    begin(client, link)
    assert FINISHED not in finished_page(client, study)


def test_the_code_is_not_for_those_who_came_otherwise(as_bob, bob, study):
    for _ in range(8):
        making.label(bob)
    assert "completion-code" not in finished_page(as_bob, study)


# --- What a worker may label --------------------------------------------------------------------


@pytest.fixture
def worker(link):
    return crowd.enter_from_crowd(invitation=link, worker="W42")


def test_an_image_that_was_never_given_takes_no_answer_by_page_or_api(client, worker, study):
    client.force_login(worker.user)
    held = assign.next_image(annotator=worker).image
    others = list(study.images.exclude(pk=held.pk))
    given = {"form": study.form.pk, "answer-aligned": "1", "answer-quality": "1"}
    page = client.post(
        label_page(study),
        {**given, "image": others[0].public_id, "submission": str(uuid.uuid4())},
        HTTP_HX_REQUEST="true",
    )
    assert "was not given to you" in page.content.decode()
    label = {"image": others[1].public_id, "form": study.form.pk}
    api = client.post(
        f"/api/v1/studies/{study.slug}/labels/bulk/",
        [{**label, "answers": {"aligned": 1, "quality": 1}}],
        content_type="application/json",
    )
    assert api.json()[0]["status"] == "refused"
    assert not Annotation.objects.exists()


def test_an_owner_may_send_what_a_program_labelled(alice, study):
    answer(alice, study.images.first())
    assert Annotation.objects.count() == 1


def test_a_late_answer_of_a_worker_counts_while_a_place_is_free(worker):
    lease = assign.next_image(annotator=worker)
    Assignment.objects.update(leased_until=timezone.now() - timedelta(seconds=1))
    assign.release_expired(study=worker.study)
    assert HandedBack.objects.get().annotator == worker
    answer(worker, lease.image)
    assert Image.objects.get(pk=lease.image_id).taken == 1


def test_an_answer_to_a_page_that_was_closed_counts_too(worker):
    lease = assign.next_image(annotator=worker)
    assign.release(assignment=lease)
    answer(worker, lease.image)
    assert Annotation.objects.count() == 1


def hand_out(worker, count):
    """Images that were given to the worker and went back."""
    images = []
    for _ in range(count):
        lease = assign.next_image(annotator=worker)
        images.append(lease.image)
        Assignment.objects.filter(pk=lease.pk).update(leased_until=timezone.now())
        assign.release_expired(study=worker.study)
    return images


def test_late_answers_do_not_pass_the_quota(worker):
    late = hand_out(worker, 6)
    for image in late[:2]:
        answer(worker, image)
    for image in late[2:]:
        with pytest.raises(LabelRefused, match="all images of your task"):
            answer(worker, image)
    assert Annotation.objects.count() == 2


def test_the_last_late_answer_gives_back_the_image_in_hand(worker):
    late = hand_out(worker, 2)
    answer(worker, late[0])
    held = assign.next_image(annotator=worker)
    answer(worker, late[1])
    assert not Assignment.objects.filter(state="leased").exists()
    assert Image.objects.get(pk=held.image_id).taken == 0
    with pytest.raises(LabelRefused, match="all images of your task"):
        answer(worker, held.image)


def test_an_answer_taken_back_at_the_end_of_the_task_can_be_given_again(worker):
    making.label(worker)
    last = making.label(worker)
    record.take_back(annotation=last)
    assert not assign.has_done_their_share(worker)
    making.label(worker)
    assert assign.has_done_their_share(worker)
    assert Annotation.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_eight_late_answers_at_once_are_no_more_than_the_quota():
    study = making.study("rush")
    link = crowd.open_to_crowd(study=study, images_each=3, completion_code=FINISHED)
    worker = crowd.enter_from_crowd(invitation=link, worker="W42")
    late = hand_out(worker, 8)
    assign.next_image(annotator=worker)

    def send(image):
        try:
            person = Membership.objects.select_related("study__form").get(pk=worker.pk)
            answer(person, Image.objects.get(pk=image.pk))
            return True
        except LabelRefused:
            return False
        finally:
            connection.close()

    with ThreadPoolExecutor(max_workers=8) as pool:
        assert sum(pool.map(send, late)) == 3
    assert Annotation.objects.count() == 3
    assert not Assignment.objects.filter(state="leased").exists()
    answered = Assignment.objects.filter(state="answered").values_list("image_id", flat=True)
    taken = dict(study.images.values_list("pk", "taken"))
    assert taken == {pk: int(pk in answered) for pk in taken}


# --- The link -----------------------------------------------------------------------------------


def test_a_crowd_link_needs_a_code_and_a_safe_address(study):
    with pytest.raises(StudyRefused, match="completion code"):
        crowd.open_to_crowd(study=study)
    with pytest.raises(StudyRefused, match="https://"):
        crowd.open_to_crowd(study=study, completion_code="x", completion_url="javascript:1")


def test_a_crowd_link_ends_by_itself(client, link):
    assert link.expires_at is not None
    Invitation.objects.update(expires_at=timezone.now())
    assert client.post(door(link), {"worker": "W1"}).status_code == 409


def test_each_kind_of_link_opens_its_own_door_only(study, link, alice):
    with pytest.raises(StudyRefused, match="crowd workers"):
        invitations.accept(invitation=link, user=alice.user)
    with pytest.raises(StudyRefused, match="with an account"):
        crowd.enter_from_crowd(invitation=invitations.invite(study=study), worker="W1")

"""Who labels which images: groups of people that get those of a selection, or all others."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotations.errors import StudyRefused
from annotations.labelling import assign
from annotations.labelling.queries import progress
from annotations.labelling.reserve import keep_reserve
from annotations.models import Assignment, Group, Image, Membership
from annotations.studies import crowd, groups, invitations, selections
from tests import making

pytestmark = pytest.mark.django_db
CHOSEN = {"late-1", "late-3", "early-2"}
PEOPLE = "/studies/shapes/people/"


def selection_of(study, keys=CHOSEN):
    pks = study.images.filter(key__in=keys).values_list("pk", flat=True)
    return selections.choose(study=study, images=pks, name="two hundred")


def group_of(study, name="experts", *, inside=True) -> Group:
    return groups.make_group(study=study, name=name, selection=selection_of(study), inside=inside)


def in_group(person, group) -> Membership:
    groups.put(member=person, group=group)
    return again(person)


def again(person) -> Membership:
    return Membership.objects.get(pk=person.pk)


def met_by(person) -> list[str]:
    """All that they are given, answered; what is left goes down by one each time."""
    keys, left = [], progress(again(person)).left
    while assign.next_image(annotator=again(person)):
        assert progress(again(person)).left == left
        keys.append(making.label(again(person)).image.key)
        left -= 1
    assert progress(again(person)).left == left == 0
    return keys


def test_experts_get_the_chosen_images_and_the_crowd_the_rest(study):
    study.overlap = 1
    study.save()
    expert = in_group(making.person(study, "eve"), group_of(study))
    worker = in_group(making.person(study, "wim"), group_of(study, "crowd", inside=False))
    assert set(met_by(expert)) == CHOSEN
    rest = met_by(worker)
    assert len(rest) == len(set(rest)) == 5
    assert not CHOSEN & set(rest)
    assert set(Image.objects.values_list("taken", flat=True)) == {1}


def test_the_images_that_come_first_do_so_within_a_group(study, bob):
    first = selection_of(study, {"late-1", "early-0"})
    selections.label_first(study=study, selection=first)
    person = in_group(bob, group_of(study, inside=False))
    keys = met_by(person)
    assert keys[0] == "early-0"
    assert len(keys) == 5


def test_known_images_come_to_groups_too_and_do_not_change_what_is_left(study, bob):
    Image.objects.filter(study=study, key__in=["early-0", "late-0"]).update(gold={"aligned": 1})
    study.gold_share = 50
    study.save()
    assert CHOSEN < set(met_by(in_group(bob, group_of(study)))) <= CHOSEN | {"early-0", "late-0"}


def test_who_changes_the_group_holds_nothing_of_the_one_before(study, bob):
    study.overlap = 1
    study.save()
    assign.next_image(annotator=bob)
    keep_reserve(annotator=again(bob))
    expert = in_group(bob, group_of(study))
    assert not Assignment.objects.filter(annotator=bob).exists()
    assert set(met_by(expert)) == CHOSEN
    # And back: all that others have not answered.
    assert len(met_by(in_group(expert, None))) == 5


def test_what_was_given_back_comes_again_within_a_group(study, bob):
    expert = in_group(bob, group_of(study))
    held = assign.next_image(annotator=expert)
    assign.release(assignment=held)
    assert assign.next_image(annotator=again(bob)).image == held.image


def test_without_the_group_its_people_get_all_images(study, bob):
    group = group_of(study)
    in_group(bob, group)
    words = groups.delete_group(group=group)
    assert words == (
        "The group “experts” is deleted. Its 1 person gets all images now; every answer is kept."
    )
    assert len(met_by(bob)) == 8


def test_whoever_comes_by_a_link_of_a_group_is_in_it(study, bob):
    group = group_of(study)
    other = making.study("other")
    newcomer = making.person(other, "nell").user
    link = invitations.invite(study=study, group=group)
    assert invitations.accept(invitation=link, user=newcomer).group == group
    crowd_link = crowd.open_to_crowd(study=study, completion_code="X", group=group)
    worker = crowd.enter_from_crowd(invitation=crowd_link, worker="W1")
    assert worker.group == group
    assert set(met_by(worker)) == CHOSEN


def test_a_group_of_another_study_is_refused(study, bob):
    other = group_of(making.study("other"))
    with pytest.raises(StudyRefused):
        groups.put(member=bob, group=other)


def test_an_answer_in_a_group_costs_the_same_queries_whatever_the_selection_has(client):
    asked = []
    for prompts in (6, 30):
        study = making.study(f"study-{prompts}", prompts=prompts)
        keys = {f"late-{number}" for number in range(prompts)}
        group = groups.make_group(
            study=study, name="g", selection=selection_of(study, keys), inside=prompts > 0
        )
        person = in_group(making.person(study, f"person-{prompts}"), group)
        client.force_login(person.user)
        client.get(f"/studies/{study.slug}/label/")
        with CaptureQueriesContext(connection) as queries:
            client.get(f"/studies/{study.slug}/label/")
        asked.append(len(queries))
    assert asked[0] == asked[1]


def test_the_page_makes_a_group_puts_people_into_it_and_deletes_it(as_alice, study, bob):
    chosen = selection_of(study)
    fields = {"name": " The  experts ", "which": "these", "selection": chosen.pk}
    page = as_alice.post(f"{PEOPLE}groups/", fields, follow=True).content.decode()
    assert "The group “The experts” gets the images of “two hundred”." in page
    group = Group.objects.get()
    as_alice.post(f"{PEOPLE}{bob.pk}/", {"do": "group", "group": group.pk})
    assert again(bob).group == group
    assert "The experts</strong>: the images of “two hundred” (3 chosen), 1 person" in (
        as_alice.get(PEOPLE).content.decode()
    )
    as_alice.post(f"{PEOPLE}{bob.pk}/", {"do": "group", "group": ""})
    assert again(bob).group is None
    as_alice.post(f"{PEOPLE}invite/", {"role": "annotator", "group": group.pk})
    assert study.invitations.get().group == group
    as_alice.post(f"{PEOPLE}groups/", {"do": "delete", "group": group.pk})
    assert not Group.objects.exists()


def test_the_page_knows_only_groups_and_selections_of_its_study(as_alice, study, bob):
    there = group_of(making.study("other"))
    for address, fields in (
        (f"{bob.pk}/", {"do": "group", "group": there.pk}),
        ("invite/", {"role": "annotator", "group": there.pk}),
        ("groups/", {"do": "delete", "group": there.pk}),
        ("groups/", {"name": "g", "which": "these", "selection": there.selection_id}),
    ):
        assert as_alice.post(PEOPLE + address, fields).status_code == 404, address
    assert Group.objects.get() == there


def test_the_command_makes_lists_fills_and_deletes_groups(study, bob):
    def run(*words) -> str:
        out = StringIO()
        call_command("groups", "shapes", *words, stdout=out)
        return out.getvalue().strip()

    assert run("list") == "There are no groups: everybody gets all images."
    selection_of(study)
    assert run("make", "experts", "--only", "two hundred") == (
        "experts: the images of “two hundred”."
    )
    run("make", "crowd", "--except", "two hundred")
    assert run("put", "experts", "bob") == "1 moved to experts."
    assert run("list").splitlines() == [
        "crowd: all images but those of “two hundred” (3); people: 0",
        "experts: the images of “two hundred” (3); people: 1",
    ]
    assert run("put", "-", "bob") == "1 moved to no group."
    assert run("delete", "experts").startswith("The group “experts” is deleted.")
    for wrong in (("put", "experts", "bob"), ("make", "g", "--only", "none"), ("put", "-", "x")):
        with pytest.raises(CommandError):
            run(*wrong)

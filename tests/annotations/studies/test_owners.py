"""Who owns a study that a command has imported."""

from __future__ import annotations

import io
import json

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.core.management import CommandError, call_command

from annotations.models import Event, Membership, Study
from annotations.studies import owners, settings
from tests.formats.sets.reading import written

pytestmark = pytest.mark.django_db


@pytest.fixture
def source(tmp_path):
    return written(
        tmp_path / "tidy", images_csv="image_id,prompt_id,prompt,generator\na,p,a red dog,sd\n"
    )


def bring_in(source, *flags: str) -> dict:
    out = io.StringIO()
    call_command("import_study", "s", source, "--format", "tidy", "--json", *flags, stdout=out)
    return json.loads(out.getvalue())


def owner_names() -> list[str]:
    members = Membership.objects.filter(study__slug="s", role="owner")
    return [member.user.username for member in members if member.user]


def test_the_study_belongs_to_the_account_that_the_command_names(source):
    User.objects.create_user("ada")
    User.objects.create_user("root", is_superuser=True)
    bring_in(source, "--owner", "ada")
    assert owner_names() == ["ada"]
    assert Event.objects.filter(study__slug="s", did="role", by_command=True).exists()


def test_without_a_name_it_belongs_to_the_only_superuser(source):
    User.objects.create_user("ada")
    User.objects.create_user("root", is_superuser=True)
    assert bring_in(source)["warnings"] == []
    assert owner_names() == ["root"]


def test_where_several_could_own_it_the_command_names_them(source):
    User.objects.create_user("zoe", is_superuser=True)
    User.objects.create_user("gone", is_superuser=True, is_active=False)
    User.objects.create_user("ada", is_superuser=True)
    (warning,) = bring_in(source)["warnings"]
    assert warning == "Nobody owns “s” yet: import again with --owner and one of ada, zoe."
    assert owner_names() == []


def test_where_nobody_could_own_it_the_command_says_how_to_make_an_account(source):
    User.objects.create_user("bob")
    (warning,) = bring_in(source)["warnings"]
    assert warning == (
        "Nobody owns “s” yet: create an account with manage.py createowner NAME, then import again."
    )
    assert owner_names() == []


def test_where_nobody_runs_the_installation_the_only_owner_gets_it(source, alice, bob):
    assert bring_in(source)["warnings"] == []
    assert owner_names() == ["alice"]


def test_a_name_without_account_is_refused_before_anything_is_written(source):
    with pytest.raises(CommandError, match="There is no account “bob”"):
        bring_in(source, "--owner", "bob")
    assert not Study.objects.exists()


def test_a_dry_run_gives_nothing_away(source):
    User.objects.create_user("ada")
    bring_in(source, "--owner", "ada", "--dry-run")
    assert not Study.objects.exists()


def test_an_orphan_is_given_to_its_owner_by_importing_again(source):
    bring_in(source)
    User.objects.create_user("ada")
    bring_in(source, "--owner", "ada")
    assert owner_names() == ["ada"]


def test_importing_again_leaves_the_owner_and_writes_no_second_event(source):
    User.objects.create_user("ada")
    for _ in range(2):
        bring_in(source, "--owner", "ada")
    bring_in(source)
    assert owner_names() == ["ada"]
    assert Event.objects.filter(did="role").count() == 1


def test_an_imported_person_of_the_same_name_stays_who_they_are(source):
    bring_in(source)
    study = Study.objects.get(slug="s")
    Membership.objects.create(study=study, name="ada")
    owners.make_owner(study=study, user=User.objects.create_user("ada"))
    names = Membership.objects.filter(study=study).values_list("name", "role")
    assert sorted(names) == [("ada", "annotator"), ("ada (2)", "owner")]


def test_the_server_can_let_a_removed_person_in_again_and_the_event_says_so(source):
    ada = User.objects.create_user("ada")
    bring_in(source, "--owner", "ada")
    study = Study.objects.get(slug="s")
    owners.make_owner(study=study, user=User.objects.create_user("ben"))
    settings.remove(member=Membership.objects.get(study=study, user=ada))
    assert owner_names() == ["ben"]
    bring_in(source, "--owner", "ada")
    assert sorted(owner_names()) == ["ada", "ben"]
    assert Event.objects.filter(study=study, did="removed").exists()


@pytest.mark.parametrize("rights", [{"is_superuser": True}, {"is_staff": True}])
def test_who_runs_the_installation_may_make_studies(rights):
    assert owners.may_make_studies(User.objects.create_user("ada", **rights))


def test_who_owns_a_study_may_make_more_and_who_labels_may_not(study, alice, bob):
    assert owners.may_make_studies(alice.user)
    assert not owners.may_make_studies(bob.user)
    assert not owners.may_make_studies(AnonymousUser())
    settings.set_role(member=bob, role="owner")
    settings.set_role(member=alice, role="researcher")
    assert not owners.may_make_studies(alice.user)


def test_a_closed_account_makes_no_studies():
    assert not owners.may_make_studies(User(username="x", is_superuser=True, is_active=False))

"""Nothing is changed in the administration without an event that says who, what, from what to what."""

from __future__ import annotations

import pytest
from django.contrib.auth import get_user_model
from django.urls import reverse

from annotations.models import Event, Membership, Study

pytestmark = pytest.mark.django_db
PASSWORD = "a-long-and-quiet-river"


@pytest.fixture
def root(client):
    user = get_user_model().objects.create_superuser("root", password=PASSWORD)
    client.force_login(user)
    Event.objects.all()._raw_delete("default")
    return user


def change(client, model: str, pk: int | None = None, /, **values):
    """Send the administration's form with these values changed."""
    address = reverse(f"admin:{model}_change", args=[pk]) if pk else reverse(f"admin:{model}_add")
    form = client.get(address).context["adminform"].form
    data = {}
    for field in form:
        value = field.value()
        if isinstance(value, bool):
            if value:
                data[field.html_name] = "on"
        elif value is not None:
            data[field.html_name] = value
    for field in form:
        for number, widget in enumerate(getattr(field.field.widget, "widgets", ())):
            part = widget.format_value(field.field.widget.decompress(field.value())[number])
            data[f"{field.html_name}_{number}"] = part or ""
    data |= values
    answer = client.post(address, {k: v for k, v in data.items() if v is not None})
    assert answer.status_code == 302, answer.context["adminform"].form.errors
    return answer


def told() -> list[tuple[str, str]]:
    return [(event.by.get_username(), event.words) for event in Event.objects.order_by("pk")]


def test_a_study_that_is_changed(client, root, study):
    change(client, "annotations_study", study.pk, status="closed", overlap="5")
    study.refresh_from_db()
    assert (study.status, study.overlap) == ("closed", 5)
    words = "changed in the administration: status from open to closed, overlap from 3 to 5"
    assert told() == [("root", words)]
    assert Event.objects.get().study == study


def test_a_study_is_neither_made_nor_deleted_there(client, root, study):
    for name, pk in (("add", []), ("delete", [study.pk])):
        assert client.get(reverse(f"admin:annotations_study_{name}", args=pk)).status_code == 403
    client.post(
        reverse("admin:annotations_study_changelist"),
        {"action": "delete_selected", "_selected_action": [study.pk], "post": "yes"},
    )
    assert Study.objects.filter(pk=study.pk).exists()


def test_somebody_made_an_owner(client, root, bob, alice):
    Event.objects.all()._raw_delete("default")
    change(client, "annotations_membership", bob.pk, role="owner", name="robert")
    bob.refresh_from_db()
    assert bob.role == "owner"
    (event,) = Event.objects.all()
    assert event.words == "changed in the administration: name, role from annotator to owner"
    assert (event.by, event.about, event.study) == (root, bob, bob.study)


def test_people_are_not_deleted_there(client, root, bob):
    address = reverse("admin:annotations_membership_delete", args=[bob.pk])
    assert client.post(address, {"post": "yes"}).status_code == 403
    assert Membership.objects.filter(pk=bob.pk).exists()


def test_an_account_made_a_superuser_closed_and_deleted(client, root):
    dora = get_user_model().objects.create_user("dora", password=PASSWORD)
    change(client, "auth_user", dora.pk, is_superuser="on", email="dora@example.org")
    change(client, "auth_user", dora.pk, is_active=None)
    client.post(reverse("admin:auth_user_delete", args=[dora.pk]), {"post": "yes"})
    start = "in the administration: "
    assert told() == [
        ("root", f"{start}changed the user #{dora.pk}: email, is superuser from False to True"),
        ("root", f"{start}changed the user #{dora.pk}: is active from True to False"),
        ("root", f"{start}deleted the user #{dora.pk}"),
    ]


def test_a_password_set_there(client, root):
    dora = get_user_model().objects.create_user("dora", password=PASSWORD)
    client.post(
        reverse("admin:auth_user_password_change", args=[dora.pk]),
        {"password1": "other-and-long", "password2": "other-and-long", "usable_password": "true"},
    )
    assert told() == [("root", "changed the password")]
    assert Event.objects.get().account == dora


def test_accounts_and_groups_that_are_made(client, root):
    client.post(
        reverse("admin:auth_user_add"),
        {
            "username": "dora",
            "password1": PASSWORD,
            "password2": PASSWORD,
            "usable_password": "true",
        },
    )
    client.post(reverse("admin:auth_group_add"), {"name": "helpers"})
    assert [words.partition("#")[0] for _, words in told()] == [
        "in the administration: made the user ",
        "in the administration: made the group ",
    ]


def test_saving_without_a_change_says_nothing(client, root, study):
    change(client, "annotations_study", study.pk)
    assert told() == []

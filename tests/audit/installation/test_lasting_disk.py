"""Nobody labels on a disk that forgets; an installation to look at takes nothing."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from django.core.management import CommandError, call_command

from audit.installation import health, lasting_disk
from tests import making
from tests.audit.test_settings import start

SPACE = Path(__file__).resolve().parents[3] / "deploy" / "space"
CONTAINER = "600 500 0:50 / / rw,relatime master:1 - overlay overlay rw,lowerdir=/l\n"
DISK = "610 600 8:1 /v /data rw,relatime - ext4 /dev/sda1 rw\n"
MEMORY = "611 600 0:51 / /data/media rw - tmpfs tmpfs rw\n"


@pytest.fixture
def here(monkeypatch) -> SimpleNamespace:
    """The settings of an installation that keeps everything under /data."""
    database = {"ENGINE": "audit.installation.sqlite", "NAME": "/data/jurybox.sqlite3"}
    stated = SimpleNamespace(
        REQUIRE_LASTING_DISK=True,
        READ_ONLY=False,
        DATABASES={"default": database},
        MEDIA_ROOT=Path("/data/media"),
        MEDIA_BUCKET={},
        SECRET_KEY_FILE=None,
    )
    monkeypatch.setattr(lasting_disk, "settings", stated)
    return stated


@pytest.fixture
def mounts(here, tmp_path, monkeypatch):
    def say(text: str) -> None:
        (tmp_path / "mountinfo").write_text(text)

    monkeypatch.setattr(lasting_disk, "MOUNTS", tmp_path / "mountinfo")
    return say


def test_a_container_without_a_mount_is_refused_part_by_part(mounts):
    mounts(CONTAINER)
    words = lasting_disk.refusal()
    assert words.startswith("The database would lie on the container’s own disk (/data), which")
    assert "The images would lie on the container’s own disk (/data/media)" in words


def test_the_web_server_does_not_start_there_and_the_doctor_says_so(mounts):
    mounts(CONTAINER)
    with pytest.raises(CommandError, match="forgets everything"):
        call_command("serve")
    found = health.disk()
    assert (found.state, found.words) == ("broken", lasting_disk.refusal())


def test_a_mounted_disk_lasts(mounts):
    mounts(CONTAINER + DISK)
    assert lasting_disk.refusal() == ""


def test_memory_mounted_over_a_disk_forgets(mounts):
    mounts(CONTAINER + DISK + MEMORY)
    words = lasting_disk.refusal()
    assert words.startswith("The images would lie in memory (/data/media)")
    assert "The database" not in words


def test_servers_elsewhere_need_no_disk_but_the_key_of_the_installation_does(mounts, here):
    mounts(CONTAINER)
    here.DATABASES = {"default": {"ENGINE": "django.db.backends.postgresql", "NAME": "j"}}
    here.MEDIA_BUCKET = {"bucket_name": "pictures"}
    assert lasting_disk.refusal() == ""
    here.SECRET_KEY_FILE = Path("/data/secret_key")
    assert lasting_disk.refusal().startswith("The secret key would lie on the container’s own")


def test_without_the_setting_or_to_look_at_only_any_disk_does(mounts, here):
    mounts(CONTAINER)
    here.READ_ONLY = True
    assert lasting_disk.refusal() == ""
    here.READ_ONLY, here.REQUIRE_LASTING_DISK = False, False
    assert lasting_disk.refusal() == ""


@pytest.mark.parametrize(
    ("mounts", "kind"),
    [
        (CONTAINER, "overlay"),
        (CONTAINER + DISK, "ext4"),
        (
            CONTAINER + DISK.replace("/data ", "/dat "),
            "overlay",
        ),  # no part of its name is its parent
        (CONTAINER + MEMORY.replace("/data/media", "/data") + DISK, "ext4"),  # the later hides it
        (DISK.replace("/data", "/"), "ext4"),
        ("", ""),
    ],
)
def test_the_mount_that_holds_a_folder_is_the_deepest_and_the_latest(mounts, kind):
    assert lasting_disk.kind_of_disk(Path("/data/inside"), mounts) == kind


def test_a_space_in_the_name_of_a_mount_is_understood():
    line = DISK.replace("/data", r"/my\040data")
    assert lasting_disk.kind_of_disk(Path("/my data/x"), CONTAINER + line) == "ext4"


@pytest.mark.django_db
def test_an_installation_to_look_at_shows_pages_lets_people_in_and_takes_nothing(settings):
    from django.test import Client

    settings.READ_ONLY = True
    study = making.study()
    person = making.person(study, "ada", role="owner")
    person.user.set_password("quiet-river-7")
    person.user.save()
    client = Client()
    entered = client.post("/login/", {"username": "ada", "password": "quiet-river-7"})
    assert entered.status_code == 302
    assert client.get(f"/studies/{study.slug}/").status_code == 200
    refused = client.post(f"/studies/{study.slug}/settings/", {"title": "Mine"})
    assert refused.status_code == 403
    assert "nothing is stored here" in refused.text
    study.refresh_from_db()
    assert study.title == "Shapes"
    fragment = client.post(
        f"/studies/{study.slug}/settings/", {"title": "Mine"}, headers={"HX-Request": "true"}
    )
    assert "<html" not in fragment.text
    said = client.post("/api/v1/token/", {"username": "ada"}, content_type="application/json")
    assert said.json()["message"] == "This Jurybox is to look at: nothing is stored here."


def test_the_flags_of_both_are_checked_at_the_start(tmp_path):
    for name in ("REQUIRE_LASTING_DISK", "READ_ONLY"):
        assert f"{name} is 'yes'" in start(tmp_path, **{name: "yes"}).stderr


def test_the_space_is_one_of_docker_on_the_port_that_is_served_and_asks_for_a_lasting_disk():
    front = yaml.safe_load((SPACE / "README.md").read_text().split("---")[1])
    recipe, script = (SPACE / "Dockerfile").read_text(), (SPACE / "start.sh").read_text()
    assert front["sdk"] == "docker"
    assert f'--port "${{PORT:-{front["app_port"]}}}"' in script
    assert "REQUIRE_LASTING_DISK=True" in recipe
    assert not [line for line in recipe.splitlines() if line.startswith("VOLUME")]
    subprocess.run(["sh", "-n", str(SPACE / "start.sh")], check=True)

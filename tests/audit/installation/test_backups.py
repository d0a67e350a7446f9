"""A backup is complete or refused; restoring it never overwrites existing data."""

from __future__ import annotations

import hashlib
import io
import json
import sqlite3
import tarfile
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.conf import settings as configured
from django.core.management import CommandError, call_command
from django.db import connection

from annotations.errors import Refused
from audit.installation import backups
from audit.installation.backups import contents, seal
from tests import making
from tests.audit.test_settings import start

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        "sqlite" not in configured.DATABASES["default"]["ENGINE"],
        reason="PostgreSQL has backups of its own; the command says so.",
    ),
]


@pytest.fixture
def labelled(settings):
    """Eight images, two of them labelled, in the database file that the tests use."""
    settings.DATABASES["default"]["NAME"] = connection.settings_dict["NAME"]
    study = making.study()
    bob = making.person(study, "bob")
    making.label(bob)
    making.label(bob)
    return study


@pytest.fixture
def elsewhere(settings, tmp_path, monkeypatch):
    """Another, empty installation."""

    def move(folder: str = "elsewhere") -> Path:
        place = tmp_path / folder
        settings.MEDIA_ROOT = place / "media"
        monkeypatch.setitem(settings.DATABASES, "default", {"NAME": str(place / "jurybox.sqlite3")})
        monkeypatch.setattr(connection, "close", lambda: None)
        return place

    return move


def test_what_was_backed_up_comes_back_row_for_row_and_byte_for_byte(
    labelled, elsewhere, settings, tmp_path
):
    kept = backups.back_up(tmp_path / "all.tar")
    assert (kept.annotations, kept.images) == (2, 8)
    files = {
        file.relative_to(settings.MEDIA_ROOT): file.read_bytes()
        for file in settings.MEDIA_ROOT.rglob("*")
        if file.is_file()
    }
    assert len(files) == kept.files > 0
    place = elsewhere()
    assert backups.restore(tmp_path / "all.tar") == (kept, [])
    with sqlite3.connect(place / "jurybox.sqlite3") as back:
        assert back.execute("SELECT count(*) FROM annotations_annotation").fetchone() == (2,)
        assert back.execute("SELECT slug FROM annotations_study").fetchall() == [("shapes",)]
    assert {
        file.relative_to(settings.MEDIA_ROOT): file.read_bytes()
        for file in settings.MEDIA_ROOT.rglob("*")
        if file.is_file()
    } == files


def test_a_backup_never_replaces_another(labelled, tmp_path):
    backups.back_up(tmp_path / "all.tar")
    with pytest.raises(Refused, match="already exists"):
        backups.back_up(tmp_path / "all.tar")


def test_an_installation_with_data_is_not_overwritten(labelled, tmp_path):
    backups.back_up(tmp_path / "all.tar")
    with pytest.raises(Refused, match="Restore into an empty installation"):
        backups.restore(tmp_path / "all.tar")
    assert labelled.images.count() == 8


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_half_a_backup_is_refused_and_leaves_nothing(labelled, elsewhere, tmp_path, share):
    backups.back_up(tmp_path / "all.tar")
    whole = (tmp_path / "all.tar").read_bytes()
    (tmp_path / "half.tar").write_bytes(whole[: int(len(whole) * share)])
    place = elsewhere()
    with pytest.raises(Refused, match="not a complete backup"):
        backups.restore(tmp_path / "half.tar")
    assert not (place / "jurybox.sqlite3").exists()
    assert not (place / "media").exists()


def test_a_backup_that_is_not_there_is_named_once(elsewhere, tmp_path):
    elsewhere()
    file = tmp_path / "none.tar"
    with pytest.raises(Refused) as refusal:
        backups.restore(file)
    words = f"{file} is not a complete backup of Jurybox: No such file or directory."
    assert refusal.value.message == words


@contextmanager
def sealed_again(backup: Path):
    """As somebody does who knows how it is made."""
    backup.write_bytes(backup.read_bytes()[: -seal.LENGTH])
    yield
    content = backup.read_bytes()
    backup.write_bytes(content + seal.LINE.format(hashlib.sha256(content).hexdigest()).encode())


def test_a_backup_that_wants_to_write_elsewhere_is_refused(labelled, elsewhere, tmp_path):
    backups.back_up(tmp_path / "all.tar")
    with sealed_again(tmp_path / "all.tar"), tarfile.open(tmp_path / "all.tar", "a") as tar:
        entry = tarfile.TarInfo("../outside")
        entry.size = 4
        tar.addfile(entry, io.BytesIO(b"evil"))
    place = elsewhere()
    with pytest.raises(Refused, match=r"\.\./outside"):
        backups.restore(tmp_path / "all.tar")
    assert not (place.parent / "outside").exists()


ODD_KINDS = json.dumps(dict.fromkeys(contents.Contents.__slots__, "sqlite")).encode()


@pytest.mark.parametrize(
    "note", [b"", b"{", b"[1, 2]", b'{"files": 3}', b"\xff\xfe", None, ODD_KINDS], ids=repr
)
def test_a_backup_with_a_damaged_note_is_refused_with_a_sentence(elsewhere, tmp_path, note):
    with tarfile.open(tmp_path / "odd.tar", "w") as tar:
        entry = tarfile.TarInfo(backups.NOTE)
        if note is None:
            entry.type = tarfile.DIRTYPE
        else:
            entry.size = len(note)
        tar.addfile(entry, io.BytesIO(note or b""))
    place = elsewhere()
    with pytest.raises(CommandError, match="not a complete backup") as refusal:
        call_command("restore", tmp_path / "odd.tar")
    assert refusal.value.returncode == 1
    assert not place.exists()


@pytest.mark.nightly("processes of their own; the tests beside it call the same code")
def test_the_commands_do_it_in_processes_of_their_own(tmp_path):
    code = "from django.core.management import call_command as c; c('migrate', verbosity=0); c({})"
    kept = start(tmp_path / "one", code.format(f"'backup', {str(tmp_path / 'b.tar')!r}"))
    assert kept.stdout.startswith("Saved 0 annotations, 0 images"), kept.stderr
    back = start(
        tmp_path / "two",
        "from django.core.management import call_command as c;"
        f"c('restore', {str(tmp_path / 'b.tar')!r})",
    )
    assert back.stdout.startswith("Restored 0 annotations"), back.stderr

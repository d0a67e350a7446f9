"""A backup says what it lacks, holds what pseudonyms rest on, shows every changed bit, and can be tried.

On both databases: an SQLite database is a file of the backup, a PostgreSQL database is a dump.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import stat
import subprocess
import tarfile
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from annotations.errors import Refused
from annotations.exports.pseudonyms import pseudonym
from annotations.models import Annotation, Image
from audit.installation import backups
from audit.installation.backups import make, postgresql_database
from tests import making, needs

TRIED_IN = f"jurybox_check_{os.getpid()}"
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def place(settings, tmp_path, monkeypatch):
    """A folder of the installation's own, and the client programs of its database."""
    if connection.vendor == "postgresql":
        needs.needed("postgres", bool(shutil.which("pg_dump")), "There is no pg_dump.")
    # Of this test alone: others may try a backup on the same server at the same time.
    monkeypatch.setattr(postgresql_database, "TRIED_IN", TRIED_IN)
    settings.DATABASES["default"]["NAME"] = connection.settings_dict["NAME"]
    settings.VAR_DIR = tmp_path / "var"
    settings.VAR_DIR.mkdir()
    settings.SECRET_KEY_FILE = settings.VAR_DIR / "secret_key"
    settings.SECRET_KEY_FILE.write_text(settings.SECRET_KEY)
    return settings.VAR_DIR


@pytest.fixture
def labelled(place):
    study = making.study()
    bob = making.person(study, "bob")
    making.label(bob)
    making.label(bob)
    return study


def databases() -> list[str]:
    if connection.vendor != "postgresql":
        return []
    with connection.cursor() as cursor:
        cursor.execute("SELECT datname FROM pg_database")
        return [name for (name,) in cursor.fetchall() if name.startswith(TRIED_IN)]


def files_below(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_the_drill_restores_elsewhere_counts_everything_and_leaves_nothing(
    labelled, place, settings, tmp_path
):
    kept = backups.back_up(tmp_path / "all.tar")
    before = files_below(place), files_below(settings.MEDIA_ROOT)
    found, warnings = backups.check(tmp_path / "all.tar")
    assert (found, warnings) == (kept, [])
    assert (found.annotations, found.images) == (2, 8)
    assert found.tables["annotations_study"] == 1
    assert found.tables["annotations_membership"] == 1
    assert found.files == len(before[1]) > 0
    assert (files_below(place), files_below(settings.MEDIA_ROOT)) == before
    assert databases() == []
    assert Annotation.objects.count() == 2


def test_the_command_says_how_many(labelled, tmp_path):
    said = io.StringIO()
    call_command("backup", tmp_path / "all.tar", stdout=said, stderr=said)
    call_command("restore", tmp_path / "all.tar", check=True, stdout=said, stderr=said)
    words = said.getvalue()
    assert "Saved 2 annotations, 8 images" in words
    assert "keep it like a password" in words
    assert "Checked 2 annotations, 8 images" in words
    assert "Nothing was kept." in words
    assert "Warning" not in words


def test_the_drill_finds_rows_that_do_not_come_back(labelled, tmp_path, monkeypatch):
    real = make.database

    def boasting(kind):
        part = real(kind)
        tables = {"dump": lambda target: {**part.dump(target), "annotations_answer": 99}}
        return type("Boasting", (), {**vars(part), **tables, "pictures": part.pictures})

    monkeypatch.setattr(make, "database", boasting)
    backups.back_up(tmp_path / "all.tar")
    with pytest.raises(Refused, match="annotations_answer has 99 rows, and 4 came back"):
        backups.check(tmp_path / "all.tar")
    assert databases() == []


def test_it_comes_back_into_an_empty_installation(labelled, settings, tmp_path):
    backups.back_up(tmp_path / "all.tar")
    pictures = {path.name: path.read_bytes() for path in files_below(settings.MEDIA_ROOT)}
    with pytest.raises(Refused, match="already holds data"):
        backups.restore(tmp_path / "all.tar")
    call_command("flush", verbosity=0, interactive=False)
    settings.MEDIA_ROOT = tmp_path / "other"
    _, warnings = backups.restore(tmp_path / "all.tar")
    assert warnings == []
    assert (Annotation.objects.count(), Image.objects.count()) == (2, 8)
    assert {path.name: path.read_bytes() for path in files_below(settings.MEDIA_ROOT)} == pictures


def test_any_changed_bit_is_refused(labelled, settings, tmp_path):
    backups.back_up(tmp_path / "all.tar")
    whole = bytearray((tmp_path / "all.tar").read_bytes())
    with tarfile.open(tmp_path / "all.tar") as tar:
        members = tar.getmembers()
    # In each header (name, mode, time, checksum, padding), each content, and each byte of the tail;
    # and all over the file.
    places = {m.offset + n for m in members[:6] for n in (0, 100, 136, 148, 156, 257, 500)}
    places |= {m.offset_data for m in members} | {m.offset_data + m.size - 1 for m in members}
    places |= set(range(len(whole) - 100, len(whole))) | {members[-1].offset_data + 600}
    places |= set(range(0, len(whole), len(whole) // 60))
    call_command("flush", verbosity=0, interactive=False)
    settings.MEDIA_ROOT = tmp_path / "other"
    broken = tmp_path / "broken.tar"
    for place in sorted(places):
        whole[place] ^= 1 << place % 8
        broken.write_bytes(whole)
        whole[place] ^= 1 << place % 8
        with pytest.raises(Refused, match="not a complete backup"):
            backups.restore(broken)
    assert len(places) > 150
    assert Annotation.objects.count() == 0
    assert not settings.MEDIA_ROOT.exists()


@pytest.mark.parametrize("part", ["media", backups.NOTE, "secret_key", "SHA256SUMS"])
def test_a_part_that_was_taken_out_or_changed_is_missed_by_its_sum(labelled, tmp_path, part):
    """Even by somebody who knows how to seal."""
    from audit.installation.backups.seal import LINE

    backups.back_up(tmp_path / "all.tar")
    for change in ("taken out", "changed"):
        out = tmp_path / f"{part}-{change}.tar".replace("/", "-")
        with tarfile.open(tmp_path / "all.tar") as tar, tarfile.open(out, "w") as other:
            done = False
            for member in tar:
                content = tar.extractfile(member).read()
                if member.name.startswith(part) and not done:
                    done = True
                    if change == "taken out":
                        continue
                    content = content[:-1] + bytes([content[-1] ^ 1])
                other.addfile(member, io.BytesIO(content))
        assert done
        content = out.read_bytes()
        out.write_bytes(content + LINE.format(hashlib.sha256(content).hexdigest()).encode())
        with pytest.raises(Refused, match="not a complete backup"):
            backups.check(out)


def test_the_sums_can_be_compared_without_jurybox(labelled, tmp_path):
    backups.back_up(tmp_path / "all.tar")
    (tmp_path / "out").mkdir()
    subprocess.run(["tar", "-xf", tmp_path / "all.tar", "-C", tmp_path / "out"], check=True)
    done = subprocess.run(
        ["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"],
        cwd=tmp_path / "out",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def vanishing(monkeypatch, gone: Path) -> None:
    """The file is listed, and gone when its turn comes."""
    real = make._files

    def listed():
        found = list(real())
        gone.unlink()
        return found

    monkeypatch.setattr(make, "_files", listed)


def test_an_upload_that_vanishes_while_it_is_read_is_told(
    labelled, settings, tmp_path, monkeypatch
):
    upload = settings.MEDIA_ROOT / "uploads" / "abc.csv"
    upload.parent.mkdir()
    upload.write_text("image_id\n")
    vanishing(monkeypatch, upload)
    said = io.StringIO()
    call_command("backup", tmp_path / "all.tar", stdout=said, stderr=said)
    assert "1 file (uploads/abc.csv) vanished while the backup was made" in said.getvalue()
    found, warnings = backups.check(tmp_path / "all.tar")
    assert found.vanished == ["uploads/abc.csv"]
    assert any("uploads/abc.csv" in words for words in warnings)


def test_a_picture_that_vanished_or_was_never_there_is_told(
    labelled, settings, tmp_path, monkeypatch
):
    files = labelled.images.order_by("pk").values_list("file", flat=True)
    first, second = sorted(set(files))[:2]
    (settings.MEDIA_ROOT / second).unlink()
    vanishing(monkeypatch, settings.MEDIA_ROOT / first)
    found = backups.back_up(tmp_path / "all.tar")
    assert (found.vanished, found.absent) == ([first], [second])
    warnings = " ".join(backups.check(tmp_path / "all.tar")[1])
    assert first in warnings
    assert second in warnings


def test_the_key_on_which_pseudonyms_rest_comes_back(labelled, place, settings, tmp_path):
    key, before = settings.SECRET_KEY, pseudonym("shapes", "bob")
    backups.back_up(tmp_path / "all.tar")
    call_command("flush", verbosity=0, interactive=False)
    settings.SECRET_KEY = "another key of an installation that was set up a minute ago"
    settings.SECRET_KEY_FILE.write_text(settings.SECRET_KEY)
    assert pseudonym("shapes", "bob") != before
    _, warnings = backups.restore(tmp_path / "all.tar")
    assert settings.SECRET_KEY_FILE.read_text() == key
    assert stat.S_IMODE(settings.SECRET_KEY_FILE.stat().st_mode) == 0o600
    assert any("secret key" in words and key not in words for words in warnings)


def test_a_key_of_the_environment_is_not_overruled(labelled, place, settings, tmp_path):
    key = settings.SECRET_KEY
    backups.back_up(tmp_path / "all.tar")
    call_command("flush", verbosity=0, interactive=False)
    settings.SECRET_KEY, settings.SECRET_KEY_FILE = "that of the environment", None
    _, warnings = backups.restore(tmp_path / "all.tar")
    assert (place / "secret_key.restored").read_text() == key
    assert stat.S_IMODE((place / "secret_key.restored").stat().st_mode) == 0o600
    assert any("set SECRET_KEY to it" in words for words in warnings)


def test_nobody_else_may_read_a_backup(labelled, tmp_path):
    before = os.umask(0)
    try:
        backups.back_up(tmp_path / "all.tar")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "all.tar").stat().st_mode) == 0o600


def test_an_old_backup_is_restored_with_a_warning(labelled, settings, tmp_path):
    if connection.vendor != "sqlite":
        pytest.skip("Before the sums there were backups of SQLite only.")
    backups.back_up(tmp_path / "new.tar")
    with tarfile.open(tmp_path / "new.tar") as tar, tarfile.open(tmp_path / "old.tar", "w") as old:
        note = json.load(tar.extractfile(backups.NOTE))
        words = {name: note[name] for name in ("made_at", "annotations", "images", "files")}
        entry = tarfile.TarInfo(backups.NOTE)
        content = json.dumps(words).encode()
        entry.size = len(content)
        old.addfile(entry, io.BytesIO(content))
        for member in tar:
            if member.name == "jurybox.sqlite3" or member.name.startswith("media/"):
                old.addfile(member, tar.extractfile(member))
    said = io.StringIO()
    call_command("restore", tmp_path / "old.tar", check=True, stdout=said, stderr=said)
    assert "from before backups had checksums" in said.getvalue()
    call_command("flush", verbosity=0, interactive=False)
    _, warnings = backups.restore(tmp_path / "old.tar")
    assert "nobody can tell whether something in it was changed" in warnings[0]
    assert Annotation.objects.count() == 2


def test_a_backup_of_the_other_database_is_refused_with_a_sentence(labelled, tmp_path, monkeypatch):
    backups.back_up(tmp_path / "all.tar")
    other = "sqlite" if connection.vendor == "postgresql" else "postgresql"
    monkeypatch.setattr(connection, "vendor", other)
    with pytest.raises(CommandError, match="set DATABASE_URL to a database of the backup's kind"):
        call_command("restore", tmp_path / "all.tar", check=True)

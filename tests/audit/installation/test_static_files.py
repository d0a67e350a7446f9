"""Files of the pages that `collectstatic` has not seen cost a page its speed, never an answer."""

from __future__ import annotations

import json

import pytest

from audit.installation import health, static_files

PLAIN, HASHED = "/static/base.css", "/static/base.1234.css"


@pytest.fixture
def collected(settings, tmp_path):
    """As a `collectstatic` left it that knew one file of today's, with other words in it."""
    settings.STATIC_ROOT = tmp_path
    (tmp_path / "base.css").write_text("/* of another version */")
    return write_manifest(
        tmp_path, json.dumps({"version": "1.1", "paths": {"base.css": "base.1234.css"}})
    )


def write_manifest(folder, text):
    (folder / "staticfiles.json").write_text(text)
    return folder


def test_a_file_that_the_manifest_does_not_know_is_served_under_its_plain_name(collected):
    storage = static_files.HashedOnceCollected()
    assert storage.url("base.css") == HASHED
    assert storage.url("of-tomorrow.css") == "/static/of-tomorrow.css"


@pytest.mark.parametrize("text", ["", '{"version": "1.1", "pa', '{"version": "9"}'])
def test_a_manifest_that_cannot_be_read_is_none(collected, text):
    write_manifest(collected, text)
    assert static_files.HashedOnceCollected().url("base.css") == PLAIN
    assert "base.css" in static_files.stale()


def test_a_page_answers_with_a_manifest_from_before_its_files(collected, client, db):
    page = client.get("/login/")
    assert page.status_code == 200
    assert HASHED in page.text
    assert "/static/theme.js" in page.text
    script = client.get("/static/theme.js")
    assert script.status_code == 200
    script.close()


def test_the_doctor_names_what_is_stale_and_the_command_that_mends_it(collected):
    found = health.static_files()
    assert found.state == "look"
    assert "base.css" in static_files.stale()
    assert "files of the pages are not those of this version" in found.words
    assert "run `manage.py upgrade`" in found.words


def test_where_nothing_was_ever_collected_nothing_is_stale(settings, tmp_path):
    settings.STATIC_ROOT = tmp_path
    assert static_files.stale() == []
    assert not static_files.are_hashed()
    assert health.static_files().state == "well"

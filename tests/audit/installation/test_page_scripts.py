"""A page's scripts go out as one file, whoever looks for it and whenever a part has changed."""

from __future__ import annotations

import pytest
from django.contrib.staticfiles import finders

from audit.installation import page_scripts

NAME = "page.js"


@pytest.fixture
def parts(settings, tmp_path, monkeypatch):
    """Two scripts that both call something the same."""
    settings.PAGES_DIR = settings.VAR_DIR = tmp_path
    monkeypatch.setattr(page_scripts, "PARTS", {NAME: ("one.js", "two.js")})
    folder = tmp_path / "static"
    folder.mkdir()
    (folder / "one.js").write_text('// A comment.\nconst name = "https://one";\n\n')
    (folder / "two.js").write_text('  const name = "two"; // stays\n')
    return folder


def test_each_part_keeps_what_it_declares_and_comments_stay_behind(parts):
    assert page_scripts.joined(NAME) == (
        '{\nconst name = "https://one";\n}\n{\nconst name = "two"; // stays\n}\n'
    )


def test_a_changed_part_is_sent_at_the_next_request(parts):
    finder = page_scripts.PageScripts()
    before = finder.write(NAME).read_text()
    (parts / "two.js").write_text("changed();\n")
    assert "changed();" not in before
    assert "changed();" in finder.write(NAME).read_text()
    assert [file.name for file in finder.write(NAME).parent.iterdir()] == [NAME]


def test_collectstatic_and_a_page_find_every_script_with_all_its_parts():
    listed = {name for name, _ in page_scripts.PageScripts().list(None)}
    assert listed == set(page_scripts.PARTS)
    for name in listed:
        assert finders.find(name) == finders.find(name, find_all=True)[0]
    assert finders.find("of-nobody.js") is None


def test_a_browser_gets_each_script(client, db):
    for name in page_scripts.PARTS:
        sent = client.get(f"/static/{name}")
        assert sent.status_code == 200
        assert b"window.jurybox" in b"".join(sent.streaming_content)
        sent.close()

"""The public site of cards: what enters it, what it shows, and that the same cards make the same bytes."""

import csv
import io
import json
import os
import random
import re
from datetime import date
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pyarrow.parquet as parquet
import pytest
import yaml
from django.core.management import CommandError, call_command

from annotations.errors import Refused
from audit.cards.certificate import check_certificate, content_of, read_certificate
from audit.cards.key import public_key, sign
from audit.cards.site.build import build_site
from audit.cards.site.changes import changes_since, read_edition
from audit.cards.site.numbers import PARTS, number_of_part
from audit.cards.site.read import read_card, read_cards
from tests.audit.cards.site.making import body, write_card, write_cards


def make_site(folder: Path, files, *more: str) -> Path:
    call_command("site", str(folder), "--from", *map(str, files), *more)
    return folder


class Links(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.tags: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.targets += [value for name, value in attrs if name in ("href", "src")]


def text_of(page: Path) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", page.read_text()).split())


@pytest.fixture
def two(tmp_path):
    return [write_card(tmp_path, "a.json"), write_card(tmp_path, "b.json", judge="Another")]


def test_the_same_cards_make_the_same_bytes_in_any_order(two, tmp_path):
    one, other = build_site(read_cards(two)), build_site(read_cards(reversed(two)))
    assert one == other
    assert all(isinstance(content, bytes) for content in one.values())


def test_each_link_leads_to_a_file_and_nothing_is_fetched_or_run(two, tmp_path):
    site = make_site(tmp_path / "site", two, "--title", "Judges of May")
    pages = sorted(site.rglob("*.html"))
    assert len(pages) == 7
    reached = set()
    for page in pages:
        links = Links(page.read_text())
        assert not links.tags & {"script", "iframe", "object", "img", "form", "base"}
        for target in links.targets:
            assert "://" not in target
            file = (page.parent / unquote(target)).resolve()
            assert file.is_file(), f"{page.name}: {target}"
            reached.add(file)
    own = {file.resolve() for file in site.rglob("*") if file.is_file()}
    assert own == reached


def test_the_table_of_judges_shows_each_part_or_that_it_was_not_measured(two, tmp_path):
    rows = read_card(two[0]).body["rows"]
    shown = {part.heading: number_of_part(part, rows) for part in PARTS}
    assert (shown["Follows people"].value, shown["Follows people"].interval) == (
        "0.80",
        "0.70 to 0.90",
    )
    # The highest of .3 and .5.
    assert shown["Nothing to see"].value == "0.50"
    assert shown["Reads newer otherwise"].value == "4.0 points"
    assert shown["Position"].undefined == "it scores one picture at a time"
    assert shown["Contrast"].value == ""
    site = make_site(tmp_path / "site", two)
    words = text_of(site / "index.html")
    assert "2 cards of judges" in words
    # Position, contrast and family, of two cards.
    assert words.count("not measured") == 6
    assert "2025-01-01" in text_of(site / "drift.html")
    (page,) = site.glob("cards/rule-judge-*.html")
    assert "not measured: no generator of its family" in text_of(page)
    assert "Valid until 2026-01-01" in text_of(page)


def test_open_data_hold_every_number_and_name_the_licence(two, tmp_path):
    site = make_site(tmp_path / "site", two, "--by", 'A "lab": of ours')
    rows = list(csv.DictReader(io.StringIO((site / "data/numbers.csv").read_text())))
    assert len(rows) == 2 * 14
    stored = parquet.read_table(site / "data/numbers.parquet").to_pylist()
    assert [row["what"] for row in stored] == [row["what"] for row in rows]
    first = next(row for row in stored if row["judge"] == "Rule judge")
    assert (first["value"], first["low"], first["pictures"]) == (0.8, pytest.approx(0.7), 60)
    lacking = next(row for row in stored if row["part"] == "position")
    assert lacking["value"] is None and lacking["why_not_measured"]
    assert {row["licence"] for row in rows} == {"CC-BY-4.0"}
    cited = yaml.safe_load((site / "CITATION.cff").read_text())
    assert cited["authors"] == [{"name": 'A "lab": of ours'}]
    front = (site / "data/README.md").read_text().split("---")[1]
    assert yaml.safe_load(front)["license"] == ["cc-by-4.0"]
    public = json.dumps(json.loads((site / "data/cards.json").read_text()))
    assert "hidden prompt" not in public and "10.0.0.7" not in public


def test_a_signed_card_of_the_site_still_holds(two, tmp_path):
    site = make_site(tmp_path / "site", two)
    for file in site.glob("cards/*.json"):
        assert check_certificate(read_certificate(file), date(2025, 6, 1))[0]


def test_a_card_without_its_owners_release_is_refused(tmp_path):
    file = write_card(tmp_path, licence="")
    with pytest.raises(CommandError, match="its owner has not released it"):
        make_site(tmp_path / "site", [file])
    with pytest.raises(Refused, match="no licence of a card"):
        write_card(tmp_path, licence="all rights mine")
    assert not (tmp_path / "site").exists()


def test_a_changed_card_or_the_same_one_twice_is_refused(two, tmp_path):
    found = json.loads(two[0].read_text())
    found["release"]["licence"] = "CC0-1.0"
    changed = tmp_path / "changed.json"
    changed.write_text(json.dumps(found))
    with pytest.raises(CommandError, match="changed.json: the signature is broken"):
        make_site(tmp_path / "site", [changed])
    with pytest.raises(CommandError, match=r"a\.json is the same card as a\.json"):
        make_site(tmp_path / "site", [two[0], two[0]])


def test_an_edition_is_never_written_over(two, tmp_path):
    site = make_site(tmp_path / "site", two)
    before = (site / "index.html").read_bytes()
    with pytest.raises(CommandError, match="not an empty folder"):
        make_site(site, two[:1])
    assert (site / "index.html").read_bytes() == before


def test_changes_are_judges_that_came_or_went_and_numbers_that_parted(tmp_path):
    first = make_site(
        tmp_path / "first",
        [
            write_card(tmp_path, "a.json", agreement=0.8),
            write_card(tmp_path, "gone.json", judge="Gone"),
        ],
    )
    # .8 ± .1 and .5 ± .1 do not meet; 4 ± 1 and 5 ± 1 do.
    now = read_cards(
        [
            write_card(tmp_path, "b.json", agreement=0.5, offset=5.0),
            write_card(tmp_path, "new.json", judge="New"),
        ]
    )
    assert changes_since(read_edition(first), now) == [
        "New: New on trees.",
        "No longer here: Gone on trees.",
        "Rule judge on trees: agreement with people: AUROC on “did”, all generators, "
        "0.80 (0.70 to 0.90) → 0.50 (0.40 to 0.60).",
    ]
    again = make_site(tmp_path / "again", [tmp_path / "a.json"], "--since", str(first))
    assert "No longer here: Gone on trees." in text_of(again / "changes.html")
    assert "1 change since the last edition" in text_of(again / "index.html")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is not JSON"),
        (b"[]", "not in the form"),
        (b'{"format": "jurybox-site 1", "cards": [{}]}', "is broken"),
        (b'{"format": "jurybox-site 1", "cards": [{"rows": 1}]}', "is broken"),
    ],
)
def test_an_earlier_edition_that_is_none_is_refused(content, words, tmp_path):
    (tmp_path / "data").mkdir()
    with pytest.raises(Refused, match="cannot be read"):
        read_edition(tmp_path)
    (tmp_path / "data/cards.json").write_bytes(content)
    with pytest.raises(Refused, match=words):
        read_edition(tmp_path)


def test_texts_of_a_card_are_text_and_cells_no_formulas(tmp_path):
    evil = '=1+1"><script>alert(1)</script>'
    file = write_card(tmp_path, judge=evil, study="<img src=x onerror=alert(1)>")
    site = make_site(tmp_path / "site", [file], "--title", "<b>T</b>")
    for page in site.rglob("*.html"):
        assert not Links(page.read_text()).tags & {"script", "img", "b"}
    assert "=1+1" in text_of(site / "index.html")
    (first, *_) = csv.DictReader(io.StringIO((site / "data/numbers.csv").read_text()))
    assert first["judge"].startswith("'=")


def mangle(rng, value):
    odd = (None, -1, 1e300, [], {}, "", True, "<script>", "x" * 9999, 2**62)
    if rng.random() < 0.01:
        return rng.choice(odd)
    if isinstance(value, dict):
        return {key: mangle(rng, held) for key, held in value.items() if rng.random() > 0.003}
    return [mangle(rng, held) for held in value] if isinstance(value, list) else value


def break_bytes(rng, content):
    """A few bytes changed, a piece left out, or the end cut."""
    data = bytearray(content)
    for _ in range(rng.randint(1, 4)):
        data[rng.randrange(len(data))] = rng.randrange(256)
    begin = rng.randrange(len(data))
    if rng.random() < 0.5:
        del data[begin : begin + rng.randint(1, 200)]
    return bytes(data[:begin]) if rng.random() < 0.2 else bytes(data)


def refuse_or_show_hostile_cards(folder, seed, count):
    """Signed with a key of its own, so that the signature holds; and each file with broken bytes."""
    rng, shown = random.Random(seed), 0
    file, edition = folder / "card.json", folder / "data/cards.json"
    edition.parent.mkdir(exist_ok=True)
    for number in range(count):
        unsigned = {
            "format": "jurybox-card 1",
            "key": public_key(),
            "release": {"licence": "CC0-1.0"},
            "card": mangle(rng, body()),
        }
        content = json.dumps({**unsigned, "signature": sign(content_of(unsigned))}).encode()
        before = json.dumps({"format": "jurybox-site 1", "cards": [unsigned["card"]]}).encode()
        if number % 2:
            content, before = break_bytes(rng, content), break_bytes(rng, before)
        file.write_bytes(content)
        edition.write_bytes(before)
        for read in (lambda: build_site(read_cards([file])), lambda: read_edition(folder) and {}):
            try:
                files = read()
            except Refused as refusal:
                assert 10 < len(refusal.message) < 1_000
            else:
                shown += 1
                assert b"<script" not in b"".join(
                    content for name, content in files.items() if name.endswith(".html")
                )
    assert 0 < shown < 2 * count


@pytest.mark.parametrize("seed", range(2))
def test_a_hostile_card_is_refused_with_a_sentence_or_shown_whole(tmp_path, seed):
    refuse_or_show_hostile_cards(tmp_path, seed, 40)


@pytest.mark.nightly(
    "two seeds of 40 in test_a_hostile_card_is_refused_with_a_sentence_or_shown_whole"
)
def test_thousands_of_hostile_cards_and_editions_are_refused_with_a_sentence(tmp_path):
    # Two files of each: a card and an earlier edition.
    refuse_or_show_hostile_cards(tmp_path, 42, int(os.environ.get("CARD_MUTATIONS", "10000")) // 2)


@pytest.mark.nightly("the size of a large site")
def test_forty_cards_are_no_more_than_three_megabytes(tmp_path):
    site = build_site(read_cards(write_cards(tmp_path, 40)))
    assert sum(map(len, site.values())) <= 3_000_000

"""Whether a file is the one that the authors published, by its size and its hash."""

import hashlib

from judges.runs.official_files import OFFICIAL, OfficialFile, compare_file

CONTENT = b"weights"
HASH = hashlib.sha256(CONTENT).hexdigest()


def _said(tmp_path, *officials, whole=True):
    file = tmp_path / "mine.pt"
    file.write_bytes(CONTENT)
    return compare_file(file, officials, whole=whole)


def test_the_official_file_is_known_by_its_hash(tmp_path):
    other = OfficialFile("b.pt", "", "0" * 64, len(CONTENT))
    said = _said(tmp_path, other, OfficialFile("a.pt", "", HASH, len(CONTENT)))
    assert said == "“mine.pt” is the official a.pt by its SHA-256"


def test_the_first_digits_are_said_to_be_that(tmp_path):
    said = _said(tmp_path, OfficialFile("a.pth", "", HASH[:8]))
    assert said.endswith("(by the first 8 digits)")


def test_another_size_needs_no_reading(tmp_path):
    said = _said(tmp_path, OfficialFile("a.pt", "", HASH, 1_000), whole=False)
    assert said == "“mine.pt” is not an official file: it has 7 bytes, and not 1,000"


def test_another_hash_is_not_the_official_file(tmp_path):
    assert f"its SHA-256 is {HASH}" in _said(tmp_path, OfficialFile("a", "", "0" * 64, 7))


def test_without_reading_it_nothing_is_claimed(tmp_path):
    said = _said(tmp_path, OfficialFile("a.pt", "", HASH, len(CONTENT)), whole=False)
    assert "may be the official file" in said


def test_where_no_hash_is_published_that_is_said(tmp_path):
    assert "nobody can tell" in _said(tmp_path, OfficialFile("a.pth", ""))


def test_every_address_ends_with_the_name_of_its_file():
    for one in (file for files in OFFICIAL.values() for file in files):
        assert one.address.startswith("https://")
        assert one.address.endswith(f"/{one.name}")
        assert len(one.sha256) in (0, 8, 64)

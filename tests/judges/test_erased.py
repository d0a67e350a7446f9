"""Erased is gone: in every text and JSON column of every table, in stored files, in caches and in the
database's own files."""

from __future__ import annotations

import json
import re
import unicodedata
import uuid
from datetime import timedelta
from pathlib import Path

import pytest
from django.apps import apps
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.db import connection, models
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotations.exports.pseudonyms import pseudonym
from annotations.labelling import assign, record
from annotations.models import KnownAnswer, Membership, Retention, Selection
from annotations.pairs import assign as pair_assign
from annotations.pairs import record as pair_record
from annotations.studies import groups, invitations, personal_data, retention
from annotations.studies import settings as study_settings
from audit.accounts import addresses, second_factor, tokens
from audit.models import Comment, Finding, Identity, Report
from audit.reports import make as reports
from judges.exports.tables import TABLES
from judges.intake import bring_in
from judges.models import Upload
from jurybox_formats.sources.format import Source
from tests import making, ready_database
from tests.annotations.pairs.test_votes import with_pairs
from tests.audit.test_settings import start

pytestmark = pytest.mark.django_db
MARK = "zebedee"
TEXTS = (models.CharField, models.TextField, models.JSONField, models.BinaryField)
LISTED = Path(__file__).with_name("text_columns.txt")


def text_columns() -> set[str]:
    return {
        f"{model._meta.label_lower}.{field.name}"
        for model in apps.get_models(include_auto_created=True)
        for field in model._meta.local_fields
        if isinstance(field, TEXTS)
    }


def test_every_text_column_is_listed_with_what_it_may_hold_of_a_person():
    """A new one fails here until somebody has thought about erasing: `column: nobody`, `leaves` (goes
    with the account, or is emptied), `scrubbed` (the name is taken out), `answers` (stays) or `cache`."""
    listed = dict(line.split(": ") for line in LISTED.read_text().splitlines())
    assert text_columns() - listed.keys() == set()
    assert set(listed.values()) <= {"nobody", "leaves", "scrubbed", "answers", "cache"}


@pytest.fixture
def active(study, alice):
    """In every table that can hold something of them."""
    member = making.person(study, MARK)
    user = member.user
    user.email, user.first_name = f"{MARK}@example.org", "Zebedee"
    user.set_password("a-long-and-quiet-river")
    user.save()
    link = invitations.invite(study=study, note=f"For {MARK}")
    Membership.objects.filter(pk=member.pk).update(invitation=link)
    invitations.invite(study=study, uses=5, note=f"Friends of {MARK}@example.org")
    first = making.label(member)
    making.label(member)
    record.flag(image=first.image, annotator=member, reason="other", note=f"{MARK} was here")
    skipped = assign.next_image(annotator=member)
    assign.skip(assignment=skipped, note=f"ask {MARK}")
    with_pairs(study)
    held = pair_assign.next_pair(annotator=member)
    pair_record.record_vote(
        pair=held.pair, annotator=member, said={"match": "left"}, submission=uuid.uuid4()
    )
    making.labels(
        study, {i.key: {"ann": 1, "ben": n % 2} for n, i in enumerate(study.images.all())}
    )
    making.scores(study, {image.key: 0.5 for image in study.images.all()})
    reports.make_report(study=study)
    Upload.objects.create(
        study=study,
        by=user,
        name=f"{MARK}-labels.csv",
        state="done",
        outcome={"rejected": [{"field": "rater", "value": MARK, "line": 3}]},
    )
    Comment.objects.create(study=study, image=first.image, by=user, text=f"{MARK} says: look again")
    tokens.make(user=user, name=f"laptop of {MARK}")
    Identity.objects.create(user=user, issuer="https://login.example", subject=f"sub-{MARK}")
    addresses.note_confirmed(user, user.email)
    second_factor.begin(user)
    LogEntry.objects.create(
        user=alice.user,
        content_type=ContentType.objects.get_for_model(User),
        object_id=str(user.pk),
        object_repr=MARK,
        action_flag=CHANGE,
    )
    Client().force_login(user)
    return Membership.objects.get(pk=member.pk)


def folded(value: object) -> str:
    """However it is spelt. JSON may hold letters as escapes."""
    text = re.sub(r"\\u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), str(value))
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def everything() -> dict[str, str]:
    """Every text of every table that holds the name."""
    found = {}
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')  # noqa: S608
            names = [column[0] for column in cursor.description]
            for row in cursor.fetchall():
                for name, value in zip(names, row, strict=True):
                    value = bytes(value) if isinstance(value, memoryview) else value
                    if MARK in folded(value):
                        found[f"{table}.{name}"] = str(value)[:200]
    return found


def numbers(study) -> str:
    body = Report.objects.filter(study=study).first().body
    overall = {name: judge["overall"] for name, judge in body["judges"].items()}
    return json.dumps([overall, body["people"]["krippendorff_alpha"]], sort_keys=True)


def test_an_erased_person_stands_in_no_column_and_no_file(active, study, media):
    assert len(everything()) >= 12
    before, called = numbers(study), pseudonym(study.slug, MARK)
    assert called in json.dumps(Report.objects.get().body)
    personal_data.erase(active.user)
    assert everything() == {}
    files = [path for path in media.rglob("*") if path.is_file()]
    assert not [path for path in files if MARK in str(path) or MARK.encode() in path.read_bytes()]
    assert numbers(study) == before
    assert called not in json.dumps(Report.objects.get().body)
    assert active.annotations.count() == 2


# What everybody can type, and every way to write a name there.
ACCENTED = "zébedée"
SPELT = [
    unicodedata.normalize(form, case)
    for form in ("NFC", "NFD")
    for case in (ACCENTED, ACCENTED.title(), ACCENTED.upper())
]


@pytest.mark.parametrize("spelt", SPELT, ids=ascii)
def test_a_name_goes_from_every_free_text_however_it_is_spelt(
    spelt, study, alice, client, media, monkeypatch, tmp_path
):
    monkeypatch.setattr("tests.judges.test_erased.MARK", ACCENTED)
    member = making.person(study, ACCENTED)
    image = study.images.first()
    study_settings.describe(study=study, title=f"With {spelt}", description=f"For {spelt}.")
    selection = Selection.objects.create(study=study, name=f"{spelt}, first")
    group = groups.make_group(study=study, name=f"{spelt}’s", selection=selection, inside=True)
    groups.put(member=alice, group=group)
    groups.delete_group(
        group=groups.make_group(study=study, name=spelt, selection=selection, inside=False)
    )
    study.generators.update(note=f"By {spelt}")
    KnownAnswer.objects.create(image=image, explanation=f"{spelt} says so")
    Comment.objects.create(study=study, image=image, by=alice.user, text=f"ask {spelt}!")
    Finding.objects.create(study=study, image=image, wanted=f"{spelt} sits", found=f"no {spelt}")
    record.flag(image=image, annotator=alice, reason="other", note=f"{spelt} erred")
    invitations.invite(study=study, uses=5, note=f"Friends of {spelt}")
    file = tmp_path / f"labels_of_{spelt}.csv"
    file.write_text(f"image_id,rater,question,value\n{image.key},ben,aligned,1\n")
    bring_in.import_labels(study=study, source=Source(file))
    Upload.objects.create(study=study, by=alice.user, name=file.name, state="done")
    study.status = "closed"
    study.save()
    assert len(everything()) >= 12
    personal_data.erase(member.user)
    assert everything() == {}
    client.force_login(alice.user)
    addresses = [reverse("events", args=["shapes"], query={"csv": ""})]
    addresses += [f"/api/v1/studies/shapes/exports/{what}/" for what in TABLES]
    answers = {address: client.get(address) for address in addresses}
    assert sum(answer.status_code == 200 for answer in answers.values()) > len(answers) / 2
    sent = {
        address: b"".join(answer).decode(errors="replace") for address, answer in answers.items()
    }
    assert "put this person into the group “erased-" in sent[addresses[0]]
    assert not [address for address, text in sent.items() if ACCENTED in folded(text)]
    files = [path for path in media.rglob("*") if path.is_file()]
    assert not [path for path in files if ACCENTED in folded(path)]


def test_who_is_forgotten_by_a_rule_stands_in_nothing_of_the_study(active, study):
    study.status = "closed"
    study.save()
    retention.set_rule(study=study, rule=Retention.Rule.FORGET, days=1)
    past = timezone.now() - timedelta(days=9)
    Retention.objects.update(closed_at=past, decided_at=past)
    assert retention.carry_out_due() == 1
    # The account and what is its own stay.
    own = ("auth_user.", "audit_apitoken.", "audit_identity.", "audit_confirmedaddress.", "django_")
    assert {name for name in everything() if not name.startswith(own)} == set()


def test_all_of_it_is_told(active):
    text = json.dumps(personal_data.everything_kept(active.user))
    for part in ("votes", "skipped", "tokens", "identities", "uploads", "practice_rounds"):
        assert f'"{part}"' in text
    for words in (f"ask {MARK}", f"laptop of {MARK}", f"sub-{MARK}", f"{MARK}-labels.csv"):
        assert words in text


def test_the_files_of_the_database_forget_as_well(tmp_path):
    """A database on the disk, as an installation has it; the tests' own is in memory."""
    code = f"""
import glob
from django.core.management import call_command
from django.contrib.auth.models import User
from django.db import connection
user = User.objects.create_user("{MARK}", "{MARK}@example.org")
for number in range(50):
    user.first_name = f"{MARK} {{number}}"
    user.save()
call_command("person", "erase", "{MARK}", verbosity=0)
name = str(settings.DATABASES["default"]["NAME"])
held = [path for path in glob.glob(name + "*") if b"{MARK}" in open(path, "rb").read()]
print("held by", held)
"""
    ready_database.copy_sqlite(tmp_path / "jurybox.sqlite3")
    ended = start(tmp_path, code)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.strip().endswith("held by []")


def test_a_name_that_is_a_word_of_our_own_spoils_no_file_and_no_report(study, alice):
    reports.make_report(study=study)
    before = Report.objects.get().body
    for word in ("judges", "people", "line"):
        member = making.person(study, word)
        outcome = {"rejected": [{"field": "rater", "value": "x", "line": 3}]}
        upload = Upload.objects.create(study=study, name="a.csv", key=word, outcome=outcome)
        personal_data.erase(member.user)
        assert Upload.objects.get(pk=upload.pk).outcome == outcome
    assert Report.objects.get().body == before

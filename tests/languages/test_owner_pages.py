"""Nothing is left in English on the pages of owners, whole and as the part that htmx asks for."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import translation

from annotations.exports.pseudonyms import pseudonym
from annotations.models import Atom, Event, Flag, Image, Membership, Prompt, Selection, Study
from annotations.pairs import draws
from annotations.studies import crowd, groups, invitations, known_answers, practice, selections
from annotations.studies import settings as study_settings
from audit.accounts import reset_links
from audit.models import AccountLanguage, Report
from audit.reports import make as reports
from audit.test_judge.published import SETS
from jurybox_formats.forms.papers import FORMS
from tests import making
from tests.audit.pages.test_dashboards import judge_all
from tests.languages.brackets import (
    ALWAYS,
    assert_all_in_brackets,
    texts_of_forms,
    texts_outside_brackets,
)

IN_PART = {"HX-Request": "true"}
PAGES = (
    *("data", "export", "people", "manage", "study-copy", "study-delete", "flags", "events"),
    *("form-edit", "known-answers", "known-answer-choose", "practice-round", "prompts"),
    *("prompt-make", "prompt-write", "generators", "disagreements", "reports", "plan", "repairs"),
    *("training", "compare-votes", "agreement", "assisted", "pairs"),
)


@pytest.fixture(scope="module")
def lived_in_once(make_once):
    return make_once(build_lived_in).pk


@pytest.fixture
def lived_in(db, lived_in_once, pictures_of_the_file):
    return Study.objects.get(pk=lived_in_once)


@pytest.fixture
def study(lived_in):
    return lived_in


@pytest.fixture
def alice(lived_in):
    return lived_in.memberships.select_related("user").get(name="alice")


@pytest.fixture
def bob(lived_in):
    return lived_in.memberships.select_related("user").get(name="bob")


def build_lived_in() -> Study:
    """A study with something on each of its pages."""
    study = making.study()
    alice, bob = making.person(study, "alice", role="owner"), making.person(study, "bob")
    judge_all(study)
    images = list(Image.objects.filter(study=study).order_by("key"))
    for image, value in zip(images[:2], "10", strict=True):
        known_answers.make(image=image, answers={"aligned": value}, explanation="")
    practice.set_practice(study=study, images=2, pass_mark=80, tries=1)
    chosen = selections.choose(
        study=study, images=iter([one.pk for one in images[:3]]), name="chosen1", by=alice.user
    )
    groups.make_group(study=study, name="experts", selection=chosen, inside=True)
    invitations.invite(study=study, by=alice.user, role="annotator", note="note1", uses=3, days=7)
    crowd.open_to_crowd(
        study=study, by=alice.user, note="note2", completion_code="C0DE", images_each=3
    )
    Flag.objects.create(image=images[0], annotator=bob, reason="broken")
    study_settings.describe(study=study, title=study.title, description="words1")
    reports.make_report(study=study)
    return study


def data_of(study: Study) -> list[str]:
    """Names of people, generators, images, judges, files and kinds of files."""
    people = [*Membership.objects.filter(study=study).values_list("name", flat=True)]
    names = [*people, *(pseudonym(study.slug, name) for name in people)]
    names += study.generators.values_list("name", flat=True)
    names += study.images.values_list("key", flat=True)
    names += Prompt.objects.filter(study=study).values_list("key", flat=True)
    names += Selection.objects.filter(study=study).values_list("name", flat=True)
    for atom in Atom.objects.filter(prompt__study=study):
        names += [atom.kind, atom.text, atom.question]
    names += Report.objects.filter(study=study).values_list("data", flat=True)
    return [*texts_of_forms(study), *names, study.description, *OF_FILES, "min"]


def published_titles() -> list[str]:
    return [known.title for known in SETS.values()]


# Kinds of files; what was typed; what a form and its papers are called.
OF_FILES = [
    *("CSV", "JSON", "JSONL", "Parquet", "ZIP", "HTML", "PDF", "LaTeX", "BibTeX", "Inspect"),
    *("Label Studio", "GenAI-Bench", "T2I-CompBench", "GenEval", "the set’s own files (zip)"),
    *("note1", "note2", "experts", "yes/no", "UTC", "some-judge"),
    # What a program reads; categories of T2I-CompBench.
    *("calibrated", "paper", "people", "color", "colors", "complex", "non-spatial", "shape"),
    *("spatial", "texture"),
    *(words for form in FORMS.values() for words in (form.title, form.slug, form.source)),
]


@pytest.mark.parametrize("part", [{}, IN_PART], ids=["whole", "part"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_of_owners_is_finished(as_alice, lived_in, bracketed, name, part):
    page = as_alice.get(reverse(name, args=[lived_in.slug]), headers={**bracketed, **part})
    # A part may be empty.
    assert page.status_code == 200
    if page.text.count("<") > 2:
        assert_all_in_brackets(page, data_of(lived_in))


@pytest.mark.parametrize("part", [{}, IN_PART], ids=["whole", "part"])
def test_pairs_that_were_drawn_and_votes_on_them_are_finished(as_alice, lived_in, bracketed, part):
    for at, generator in enumerate(lived_in.generators.order_by("pk")):
        generator.name = f"G{at}"
        generator.save()
    draws.draw(study=lived_in, per_prompt=1)
    address = reverse("pairs", args=[lived_in.slug])
    page = as_alice.get(address, headers={**bracketed, **part})
    data = [*data_of(lived_in), *lived_in.generators.values_list("name", flat=True)]
    assert_all_in_brackets(page, data)


@pytest.mark.parametrize(
    "sent", [{"which": "duel", "one": "a"}, {"per_prompt": "900000"}, {"overlap": "x"}]
)
def test_why_no_pairs_are_drawn_is_finished(as_alice, lived_in, bracketed, sent):
    address = reverse("pairs-draw", args=[lived_in.slug])
    given = {"which": "random", "per_prompt": "1", "overlap": "1", "seed": "0", **sent}
    page = as_alice.post(address, given, headers=bracketed)
    assert_all_in_brackets(page, data_of(lived_in))


def test_why_votes_of_a_file_are_refused_is_finished(as_alice, lived_in, bracketed):
    head = "pair_id,prompt_id,first,second,rater,question,value,left"
    for rows in ("a,p0,nobody-0,early-0,ann,match,first,", "a,p0,late-0,early-0,ann,match,x,", ""):
        file = SimpleUploadedFile("votes.csv", f"{head}\n{rows}\n".encode())
        page = as_alice.post(
            reverse("pairs-import", args=[lived_in.slug]), {"file": file}, headers=bracketed
        )
        if page.status_code != 302:
            words = ("first", "second", "tie", "neither", "cannot_tell")
            assert_all_in_brackets(page, [*data_of(lived_in), *words])


def test_an_image_and_its_answers_are_finished(as_alice, lived_in, bracketed):
    slug, image = lived_in.slug, lived_in.images.order_by("key").first().public_id
    addresses = [
        reverse("data-image", args=[slug, image]),
        reverse("disagreement", args=[slug, image]),
        reverse("known-answer-edit", args=[slug, image]),
        reverse("data", args=[slug]) + "?view=table&judge=some-judge",
        reverse("data", args=[slug]) + "?q=nothing+has+these",
    ]
    for address in addresses:
        assert_all_in_brackets(as_alice.get(address, headers=bracketed), data_of(lived_in))


def test_what_changed_between_two_reports_is_finished(as_alice, lived_in, bracketed):
    making.labels(lived_in, {"early-0": {"dora": 1}})
    reports.make_report(study=lived_in)
    newer, older = Report.objects.filter(study=lived_in).values_list("pk", flat=True)[:2]
    address = reverse("report-changes", args=[lived_in.slug]) + f"?a={older}&b={newer}"
    page = as_alice.get(address, headers=bracketed)
    assert_all_in_brackets(page, data_of(lived_in))


@pytest.mark.parametrize("name", ["search", "installation-events", "test-judge"])
def test_pages_of_no_study_are_finished(as_alice, lived_in, alice, bracketed, name):
    alice.user.is_superuser = True
    alice.user.save()
    page = as_alice.get(reverse(name) + "?q=a", headers=bracketed)
    assert_all_in_brackets(page, [*data_of(lived_in), *published_titles(), "MB"])


@pytest.mark.parametrize(
    ("route", "sent"),
    [
        ("invite", {"role": "annotator", "uses": "0", "days": "7"}),
        ("invite", {"kind": "crowd", "completion_code": ""}),
        ("people-add", {"name": "nobody1", "role": "annotator"}),
        ("people-rules", {"overlap": "many"}),
        ("people-rules", {"fastest_seconds": "900"}),
        ("people-groups", {"name": "", "selection": "1", "which": "these"}),
        ("manage-change", {"title": ""}),
        ("retention", {"rule": "delete", "days": "30"}),
        ("retention", {"rule": "forget", "days": "0"}),
        ("study-delete", {"name": "no"}),
        ("form-edit", {"definition": "Title: x\n", "use": "yes"}),
        ("form-edit", {"do": "builder"}),
        ("known-answer-share", {"gold_share": "99"}),
        ("known-answer-import", {"table": "image_id,question,value\nnone1,aligned,1\n"}),
        ("practice-change", {"do": "set", "images": "9", "pass_mark": "80", "tries": "1"}),
        ("prompt-make", {"maker": "geneval2", "count": "x", "seed": "0"}),
        ("prompt-make", {"maker": "geneval2", "count": "3", "seed": "0"}),
        ("prompt-write", {"prompts": "a red cup\ntwo dogs"}),
        ("generator-import", {"table": "generator,release_date\nnone1,2024-01-01\n"}),
        ("data-draw", {"count": "no", "seed": "0"}),
    ],
)
@pytest.mark.parametrize("language", ["de", "zh-hans"])
def test_what_a_form_of_owners_answers_has_a_translation(as_alice, lived_in, language, route, sent):
    """In a real language: a sentence that nobody has translated would be marked, or stand as it is."""
    address, said = reverse(route, args=[lived_in.slug]), []
    if route == "people-groups":
        sent = {**sent, "selection": lived_in.selections.get().pk}
    for spoken in ("en", language):
        answer = as_alice.post(address, sent, headers={"Accept-Language": spoken})
        if answer.status_code == 302:
            answer = as_alice.get(answer.url, headers={"Accept-Language": spoken})
        found = texts_outside_brackets(answer.text, [*ALWAYS, *data_of(lived_in)])
        said.append({text for text in found if len(text.split()) > 2})
    assert said[0] and not said[0] & said[1]
    assert '<span lang="en">' not in answer.text


@pytest.mark.parametrize("name", ["code", "needs-code", "reset-link", "first-start", "reset"])
def test_pages_around_an_account_are_finished(client, study, alice, bob, bracketed, name, settings):
    if name in ("code", "needs-code"):
        link = crowd.open_to_crowd(study=study, by=alice.user, completion_code="C0DE")
        address = reverse("crowd", args=[invitations.token_of(link)]) + "?PROLIFIC_PID=w1"
        if name == "needs-code":
            client.post(address, {"worker": "w1", "chosen_code": "AAAA-BBBB-CCCC"})
            client.cookies.clear()
        page = client.get(address, headers=bracketed)
        code = [page.context["chosen_code"]]
        return assert_all_in_brackets(page, [*data_of(study), *code, "w1"])
    if name == "reset-link":
        client.force_login(alice.user)
        page = client.post(reverse(name, args=[study.slug, bob.pk]), headers=bracketed)
        return assert_all_in_brackets(page, texts_of_forms(study))
    if name == "reset":
        page = client.get(reset_links.make(user=bob.user), headers=bracketed, follow=True)
        return assert_all_in_brackets(page, [])
    User.objects.all().delete()
    for sent in (None, {"username": "", "password1": "a", "password2": "b", "code": "x"}):
        ask = client.get if sent is None else client.post
        page = ask(reverse(name), sent, headers=bracketed, REMOTE_ADDR="203.0.113.9")
        assert_all_in_brackets(page, [])


@pytest.mark.parametrize(
    ("language", "subject", "words"),
    [
        ("", "A new password for Jurybox", "Set it here, within a day:"),
        ("de", "Ein neues Passwort für Jurybox", "Setzen Sie es hier innerhalb eines Tages:"),
        ("zh-hans", "Jurybox 新密码", "请在一天之内在此设置："),
    ],
)
def test_a_mail_is_in_the_language_of_its_account(bob, mailoutbox, language, subject, words):
    bob.user.email = "bob@lab.example"
    bob.user.save()
    if language:
        AccountLanguage.objects.create(user=bob.user, language=language)
    with translation.override("de"):
        reset_links.send_mails([bob.user.pk], "https://jury.example/")
    assert mailoutbox[0].subject == subject
    assert words in mailoutbox[0].body and "https://jury.example/reset/" in mailoutbox[0].body


def test_the_history_is_stored_in_english_and_told_in_the_language(as_alice, lived_in):
    study_settings.set_status(study=lived_in, status="paused")
    with translation.override("de"):
        study_settings.set_status(study=lived_in, status="open")
    page = as_alice.get(reverse("events", args=[lived_in.slug]), headers={"Accept-Language": "de"})
    assert "setzte die Studie auf offen" in page.text
    newest = Event.objects.filter(study=lived_in, did="status").order_by("-pk").first()
    assert newest.words == "set the study to open"

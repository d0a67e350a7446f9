"""Pages in other languages: which they speak, and that nothing English is left on those that are finished."""

from __future__ import annotations

import re

import polib
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import translation

from annotations.jobs import run as run_job
from annotations.models import Image, Study
from annotations.pairs import draws
from annotations.pairs.questions import ASKED
from annotations.studies import invitations, known_answers, practice
from audit.languages import as_english
from audit.models import AccountLanguage
from audit.reports import make as reports
from judges.models import Delivery, Run, Upload
from judges.runs import lifecycle
from jurybox_formats.forms.translations import source_texts
from tests import making
from tests.audit.pages.test_dashboards import judge_all
from tests.languages.brackets import (
    assert_all_in_brackets,
    names_of_judges,
    texts_of_a_report,
    texts_of_forms,
)
from tests.languages.messages import all_messages, file_of, languages

PLACES = re.compile(r"%\(\w+\)s?|%%|<[^>]+>")


@pytest.mark.parametrize("language", languages())
def test_no_translated_sentence_is_lost(language):
    """A new English sentence waits for a release; one that has its translation is still read somewhere."""
    entries = polib.pofile(str(file_of(language)))
    lost = {(one.msgid, one.msgid_plural) for one in entries} - set(all_messages())
    assert lost == set(), "Where these sentences are meant to be gone: `make translations`."
    assert not entries.fuzzy_entries()


@pytest.mark.nightly("a release has every translation; the quick tests see that none is lost")
@pytest.mark.parametrize("language", languages())
def test_every_sentence_is_translated(language):
    entries = polib.pofile(str(file_of(language)))
    new = set(all_messages()) - {(one.msgid, one.msgid_plural) for one in entries}
    new |= {(one.msgid, one.msgid_plural) for one in entries.untranslated_entries()}
    assert new == set(), "Run `make translations` and fill them in."


@pytest.mark.parametrize("language", languages())
def test_a_translation_has_the_places_of_its_sentence(language):
    for entry in polib.pofile(str(file_of(language))).translated_entries():
        said = list(entry.msgstr_plural.values()) if entry.msgid_plural else [entry.msgstr]
        for number, text in enumerate(said):
            # A language with a singular may say it without the number.
            is_singular = number == 0 and len(said) > 1
            source = entry.msgid if is_singular else entry.msgid_plural or entry.msgid
            here, there = PLACES.findall(source), PLACES.findall(text)
            assert sorted(here) == sorted(there), entry.msgid


@pytest.mark.parametrize("language", languages())
def test_what_pages_load_is_what_was_written(language):
    path = file_of(language)
    written, loaded = polib.pofile(str(path)), polib.mofile(str(path.with_suffix(".mo")))
    assert {(e.msgid, e.msgstr, str(e.msgstr_plural)) for e in written.translated_entries()} == {
        (e.msgid, e.msgstr, str(e.msgstr_plural)) for e in loaded
    }


# ---- Which language -----------------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("asked", "spoken"),
    [("zh-CN,zh;q=0.9", "zh-hans"), ("de-AT", "de"), ("fr", "en"), ("", "en"), ("en-GB,de", "en")],
)
def test_a_page_speaks_as_the_browser_prefers(client, alice, asked, spoken):
    page = client.get(reverse("login"), headers={"Accept-Language": asked})
    assert f'<html lang="{spoken}">' in page.text
    assert page["Content-Language"] == spoken
    assert "Accept-Language" in page["Vary"] and "Cookie" in page["Vary"]


def test_an_address_with_a_language_is_remembered(client, alice):
    assert ">Anmelden</h1>" in client.get(reverse("login") + "?lang=de").text
    assert ">Anmelden</h1>" in client.get(reverse("login")).text
    assert ">Log in</h1>" in client.get(reverse("login") + "?lang=en").text
    assert ">Log in</h1>" in client.get(reverse("login") + "?lang=../x").text


def test_the_switch_is_kept_with_the_account_and_follows_it(client, as_alice, alice):
    answer = as_alice.post(reverse("language"), {"language": "de", "next": reverse("home")})
    assert answer.url == reverse("home")
    assert AccountLanguage.objects.get(user=alice.user).language == "de"
    client.logout()
    client.cookies.clear()
    alice.user.set_password("a long password of hers")
    alice.user.save()
    client.post(
        reverse("login"),
        {"username": alice.user.username, "password": "a long password of hers"},
    )
    assert '<html lang="de">' in client.get(reverse("home")).text


def test_the_switch_leads_nowhere_else_and_takes_no_other_language(client, alice):
    answer = client.post(
        reverse("language"), {"language": "xx", "next": "https://elsewhere.example/"}
    )
    assert answer.url == reverse("home")
    assert "language" not in answer.cookies


def test_programs_read_english(as_alice):
    in_chinese = {"Accept-Language": "zh-CN"}
    missing = as_alice.get("/api/v1/studies/none/", headers=in_chinese)
    assert missing.status_code == 404 and missing.text.isascii()
    assert "Content-Language" not in missing
    assert as_alice.get("/healthz", headers=in_chinese).text == "ok\n"


def test_a_label_page_in_one_language_is_not_given_to_somebody_else(as_alice, study):
    address = reverse("label", args=[study.slug])
    for language, word in (("de", "Auslassen"), ("en", "Skip"), ("zh-hans", "跳过")):
        for _ in range(2):
            page = as_alice.get(address, headers={"Accept-Language": language}).text
            words = {"Auslassen", "Skip", "跳过"} - {word}
            assert f"{word} <kbd" in page
            assert not any(f"{other} <kbd" in page for other in words)


def test_the_words_of_scripts_are_on_the_page_that_needs_them(as_alice, study):
    address = reverse("label", args=[study.slug])
    assert 'id="words"' not in as_alice.get(address).text
    assert '"saved":"gespeichert"' in as_alice.get(address, headers={"Accept-Language": "de"}).text


def test_numbers_have_a_point_in_every_language():
    from django.template import Context, Template

    for language in ("en", "de", "zh-hans"):
        with translation.override(language):
            shown = Template("{{ a }} {{ b }} {{ a|floatformat:1 }}").render(
                Context({"a": 0.25, "b": 12345})
            )
        assert shown == "0.25 12345 0.3"


# ---- Nothing is left in English -----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["login", "forgot"])
def test_the_ways_in_are_finished(client, alice, bracketed, name):
    assert_all_in_brackets(client.get(reverse(name), headers=bracketed), [])


def test_a_wrong_password_is_told_in_the_language(client, alice, bracketed):
    sent = {"username": "alice", "password": "wrong"}
    assert_all_in_brackets(client.post(reverse("login"), sent, headers=bracketed), [])


def test_an_invitation_is_finished(client, study, alice, bracketed):
    invitation = invitations.invite(study=study, by=alice.user, role="annotator")
    token = invitations.token_of(invitation)
    page = client.get(reverse("join", args=[token]), headers=bracketed)
    assert_all_in_brackets(page, texts_of_forms(study))


@pytest.mark.parametrize("name", ["label", "label-answers", "practice"])
def test_an_annotators_pages_are_finished(as_bob, study, bracketed, name):
    address = reverse(name, args=[study.slug])
    assert_all_in_brackets(as_bob.get(address, headers=bracketed), texts_of_forms(study))


def test_the_page_of_pairs_is_finished(as_bob, study, bob, bracketed):
    draws.draw(study=study, per_prompt=1)
    page = as_bob.get(reverse("compare", args=[study.slug]), headers=bracketed)
    # Questions are asked in the words in which their answers are compared.
    assert_all_in_brackets(page, [*texts_of_forms(study), *source_texts(ASKED)])


def test_a_closed_study_is_told_in_the_language(as_bob, study, bracketed):
    study.status = "closed"
    study.save()
    page = as_bob.get(reverse("label", args=[study.slug]), headers=bracketed)
    assert_all_in_brackets(page, texts_of_forms(study))


def test_a_practice_round_is_finished(as_bob, study, bracketed):
    for key in ("early-0", "early-1"):
        image = Image.objects.select_related("prompt", "study__form").get(study=study, key=key)
        known_answers.make(image=image, answers={"aligned": "1"}, explanation="")
    practice.set_practice(study=study, images=2, pass_mark=80, tries=1)
    address, data = reverse("practice", args=[study.slug]), texts_of_forms(study)
    assert_all_in_brackets(as_bob.get(address, headers=bracketed), data)
    as_bob.post(address, {"do": "begin"})
    for value in ("0", "1"):
        page = as_bob.get(address, headers=bracketed)
        assert 'id="answers"' in page.text
        assert_all_in_brackets(page, data)
        sent = {"do": "answer", "image": page.context["image"].public_id}
        as_bob.post(address, sent | {"answer-aligned": value, "answer-quality": value})
        assert_all_in_brackets(as_bob.get(address, headers=bracketed), data)
        as_bob.post(address, {"do": "go-on"})
    assert_all_in_brackets(as_bob.get(address, headers=bracketed), data)


def test_the_last_page_of_a_task_is_finished(as_bob, study, bracketed):
    address = reverse("finished", args=[study.slug])
    for status in ("open", "closed"):
        Study.objects.filter(pk=study.pk).update(status=status)
        assert_all_in_brackets(as_bob.get(address, headers=bracketed), texts_of_forms(study))


OWN_PASSWORD = "a long password of hers"
# A program reads these as they are written here.
OF_PROGRAMS = ["laptop", "a@example.org"]


@pytest.fixture
def as_alice_with_password(client, alice):
    alice.user.set_password(OWN_PASSWORD)
    alice.user.email = "a@example.org"
    alice.user.save()
    client.force_login(alice.user)
    return client


@pytest.mark.parametrize(
    ("route", "sent"),
    [
        ("account-token-make", {"name": "laptop", "scope": "read", "days": "9"}),
        ("account-token-make", {"name": "", "scope": "read", "days": "9"}),
        ("account-token-make", {"name": "laptop", "scope": "read", "days": "999999"}),
        ("account-password", {"old_password": "x", "new_password1": "a", "new_password2": "b"}),
        ("account-email", {"email": "x", "password": OWN_PASSWORD}),
        ("account-email", {"email": "a@example.org", "password": "x"}),
        ("account-factor-begin", {"password": OWN_PASSWORD}),
        ("account-factor-on", {"code": "1"}),
    ],
)
def test_the_account_page_is_finished(as_alice_with_password, study, bracketed, route, sent):
    page = as_alice_with_password.post(reverse(route), sent, headers=bracketed)
    # The secret is drawn.
    letters = page.context["letters"] or "-"
    assert_all_in_brackets(page, [*texts_of_forms(study), *OF_PROGRAMS, letters])


@pytest.mark.parametrize("name", ["runs", "run-judges"])
def test_the_pages_of_judges_are_finished(as_alice, study, bracketed, name):
    page = as_alice.get(reverse(name, args=[study.slug]), headers=bracketed)
    assert_all_in_brackets(page, [*texts_of_forms(study), *names_of_judges()])


@pytest.mark.parametrize("state", ["running", "finished", "stopped"])
def test_a_run_is_told_in_the_language(as_alice, study, alice, bracketed, state):
    run = lifecycle.start_run(study=study, name="geneval-builtin", options={}, by=alice.user)
    Run.objects.filter(pk=run.pk).update(
        state=state, scored=3, failed=1, reason="The disk is full."
    )
    page = as_alice.get(reverse("runs", args=[study.slug]), headers=bracketed)
    assert_all_in_brackets(page, [*texts_of_forms(study), *names_of_judges()])


@pytest.mark.parametrize("judge", ["geneval-builtin", "blip-vqa"])
def test_the_options_of_a_judge_are_finished(as_alice, study, bracketed, judge):
    page = as_alice.get(reverse("run-options", args=[study.slug, judge]), headers=bracketed)
    data = [*texts_of_forms(study), *names_of_judges()]
    for field in (one for group in page.context["judge"].groups.values() for one in group):
        data += [field.label, str(field.default), *field.choices]
    assert_all_in_brackets(page, [*data, page.context["judge"].weights])


def test_what_stays_english_is_marked_on_other_pages_only():
    for language, shown in (("en", "a &lt; b"), ("de", '<span lang="en">a &lt; b</span>')):
        with translation.override(language):
            assert as_english("a < b") == shown
            assert as_english("") == ""


def test_the_summary_is_finished(as_alice, study, bracketed):
    judge_all(study)
    reports.make_report(study=study)
    page = as_alice.get(reverse("summary", args=[study.slug]), headers=bracketed)
    assert page.context["rows"]
    assert_all_in_brackets(page, [*texts_of_forms(study), *texts_of_a_report(page)])


def test_a_study_without_a_report_says_so_in_the_language(as_alice, study, bracketed):
    page = as_alice.get(reverse("summary", args=[study.slug]), headers=bracketed)
    assert_all_in_brackets(page, texts_of_forms(study))


OWN_TABLE = b"path,caption,model,rating\n1.png,a red cup,SDXL,4\n2.png,two dogs,FLUX,2\n9.png,a cat,FLUX,1\n"
# What its columns say, and names of files and of sets.
OF_FILES = [
    *("images.csv", "path", "caption", "model", "rating", "1.png", "2.png", "9.png", "a red cup"),
    *("two dogs", "a cat", "SDXL", "FLUX", "sdxl/a red cup.png", "MB", "KB", "bytes", "images"),
    *("T2I-CoReBench, UniGenBench, LongText, DPG-Bench, WISE, OneIG, CVTG, TIIF", "UTC"),
    *("GEdit-Bench, ImgEdit, KRIS-Bench, RISEBench, ImagenHub", "images.csv and 2 more"),
]


def send_own_pictures(client, headers, **more):
    pictures = [SimpleUploadedFile(f"{n}.png", making.png((n, 2, 3)), "image/png") for n in (1, 2)]
    table = SimpleUploadedFile("images.csv", OWN_TABLE, "text/csv")
    sent = {"file": [table, *pictures], **more}
    return client.post(reverse("study-new"), sent, headers=headers, follow=True)


def test_a_new_study_is_finished(as_alice, bracketed):
    assert_all_in_brackets(as_alice.get(reverse("study-new"), headers=bracketed), OF_FILES)


def test_what_a_check_of_own_pictures_says_is_finished(as_alice, bracketed):
    send_own_pictures(as_alice, bracketed, name="March")
    page = as_alice.get(reverse("study-new"), headers=bracketed)
    assert "⟦There is no such picture.⟧" in page.text
    assert_all_in_brackets(page, OF_FILES)


def test_own_pictures_become_a_study_in_the_language(as_alice, bracketed):
    send_own_pictures(as_alice, bracketed, name="March")
    as_alice.post(reverse("study-new"), {"do": "make", "name": "March"}, headers=bracketed)
    made = Study.objects.get(slug="march")
    for run_it in (False, True):
        if run_it:
            run_job(Upload.objects.get().pk)
        for name in ("imports", "study"):
            page = as_alice.get(reverse(name, args=[made.slug]), headers=bracketed)
            assert_all_in_brackets(page, [*OF_FILES, *texts_of_forms(made), made.form.title])


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("de", ["Es gibt kein solches Bild.", "Daraus werden 2 Bilder · 2 Prompts", "2 Labels"]),
        ("zh-hans", ["没有这张图片。", "将成为 2 张图片 · 2 条提示词", "2 个标签"]),
    ],
)
def test_a_check_is_stored_in_english_and_shown_in_the_language(as_alice, language, words):
    headers = {"Accept-Language": language}
    send_own_pictures(as_alice, headers)
    page = as_alice.get(reverse("study-new"), headers=headers).text
    assert all(one in page for one in words)
    stored = Delivery.objects.get().found["outcome"]["rejected"][0]["reason"]
    assert stored == "There is no such picture."


@pytest.mark.parametrize(("language", "words"), [("de", "sind leer"), ("zh-hans", "是空的")])
def test_a_refused_piece_is_told_in_the_language(as_alice, language, words):
    sent = {"files": [["a.png", 0, 1]]}
    answer = as_alice.post(
        reverse("study-new-files"),
        sent,
        content_type="application/json",
        headers={"Accept-Language": language},
    )
    assert answer.status_code == 422
    assert words in answer.json()["message"]


def test_the_tour_is_finished(as_alice, bracketed):
    assert_all_in_brackets(as_alice.get(reverse("tour"), headers=bracketed), [])


@pytest.mark.parametrize("who", ["alice", "bob"])
def test_the_first_page_is_finished(client, study, alice, bob, bracketed, who):
    client.force_login({"alice": alice, "bob": bob}[who].user)
    assert_all_in_brackets(client.get(reverse("home"), headers=bracketed), texts_of_forms(study))


def test_errors_are_finished(as_bob, study, bracketed):
    assert_all_in_brackets(as_bob.get("/no/such/page/", headers=bracketed), [])
    forbidden = as_bob.get(reverse("people", args=[study.slug]), headers=bracketed)
    assert_all_in_brackets(forbidden, texts_of_forms(study))

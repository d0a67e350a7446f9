"""Parts are drafted for a whole study, checked on a page and frozen; answered ones stay."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotations.forms.versions import publish_form
from annotations.imports import new_prompts, write_study
from annotations.imports.outcome import Outcome
from annotations.labelling import assign
from annotations.models import Answer, Atom, Event, Prompt
from judges.models import AtomScore, PartsVersion, PromptParts, Score
from judges.parts import drafts
from judges.parts.freeze import freeze
from judges.runs.fit import StudyPrompts
from jurybox_formats.forms.papers import geneval2_atoms, geneval_audit
from jurybox_formats.sources.records import ImageRecord, LabelRecord
from jurybox_judging.errors import JudgeRefused
from tests import making
from tests.judging.engines.openai_stand_in import spoken, standing_in

pytestmark = pytest.mark.django_db
TEXTS = ("a red cup left of two dogs", "three cats and a blue bird", "a bench")


@pytest.fixture
def free(study):
    """Beside the four prompts of the study, which have atoms: three in free words, without any."""
    for number, text in enumerate(TEXTS):
        Prompt.objects.create(study=study, key=f"free-{number}", text=text)
    outcome = Outcome()
    records = (
        ImageRecord(f"free-{n}", f"free-{n}", "late", content=making.png((n, 9, 9)))
        for n in range(len(TEXTS))
    )
    write_study.import_records(study=study, records=records, outcome=outcome)
    assert not outcome.rejected
    return study


def atoms(study, key):
    return list(
        Atom.objects.filter(prompt__study=study, prompt__key=key).values_list(
            "question", "expected", "parents"
        )
    )


def label_atom(study, key):
    """Somebody answers about the first atom of a prompt."""
    image = study.images.filter(prompt__key=key).first()
    record = LabelRecord(image.key, "ann", "atom", 1.0, atom=0)
    outcome = Outcome()
    write_study.import_records(study=study, records=[record], outcome=outcome)
    if not Answer.objects.filter(atom__prompt__key=key).exists():
        annotation = making.label(making.person(study, "labeller"))
        Answer.objects.create(
            annotation=annotation,
            question="atom",
            atom=Atom.objects.get(prompt__study=study, prompt__key=key, index=0),
            value=1,
        )


def test_a_frozen_draft_lets_judges_that_ask_about_parts_score_prompts_in_free_words(free):
    before = StudyPrompts(free, 1000)
    assert before.fit("geneval-transformers").scorable == 0
    assert before.fit("tifa-free-server").scorable == 0
    drafts.make_draft(study=free)
    assert atoms(free, "free-0") == []  # A draft changes nothing.
    freeze(study=free)
    assert atoms(free, "free-0") == [
        ("Are there any cups in the image?", "Yes", []),
        ("Is the cup red?", "Yes", [0]),
        ("Are there any dogs in the image?", "Yes", []),
        ("How many dogs are in the image?", "two", [2]),
        ("Is the cup left of the dogs?", "Yes", [0, 2]),
    ]
    after = StudyPrompts(free, 1000)
    # The four prompts about circles have two images each, which COCO's detector cannot name.
    assert after.fit("geneval-transformers").scorable == 3
    for name in ("soft-tifa-gm-server", "tifa-free-server", "geneval-owlv2", "dsg-qwen2-vl"):
        assert after.fit(name).scorable == 11, name


def test_prompts_that_have_parts_keep_them(free):
    held = atoms(free, "p0")
    pks = set(Atom.objects.filter(prompt__key="p0").values_list("pk", flat=True))
    drafts.make_draft(study=free)
    freeze(study=free)
    assert atoms(free, "p0") == held
    assert set(Atom.objects.filter(prompt__key="p0").values_list("pk", flat=True)) == pks
    metadata = Prompt.objects.get(study=free, key="p0").metadata
    assert metadata["include"] == making.prompt(0).metadata["include"]


def test_a_second_click_makes_no_second_draft(as_alice, free):
    for _ in range(2):
        as_alice.post(reverse("prompt-parts-draft", args=[free.slug]))
    assert PartsVersion.objects.count() == 1
    assert PromptParts.objects.count() == 7


def test_parts_with_answers_are_not_changed_and_nothing_is_frozen(free):
    label_atom(free, "p1")
    held = Answer.objects.get(atom__prompt__key="p1").atom
    version = drafts.make_draft(study=free)
    row = version.prompts.get(prompt__key="p1")
    row.parts = row.parts[1:]
    row.save()
    with pytest.raises(JudgeRefused, match="have answers or scores already and must stay"):
        freeze(study=free)
    assert Answer.objects.get(atom__prompt__key="p1").atom == held
    assert atoms(free, "free-0") == []
    assert drafts.draft_of(free) == version


def test_the_page_refuses_to_change_them_too(as_alice, free):
    label_atom(free, "p1")
    version = drafts.make_draft(study=free)
    row = version.prompts.get(prompt__key="p1")
    address = reverse("prompt-parts-save", args=[free.slug, row.pk])
    answer = as_alice.post(address, {"question-0": "Something else?"})
    assert answer.status_code == 422 and "must stay as they are" in answer.content.decode()
    page = as_alice.get(reverse("prompt-parts", args=[free.slug])).content.decode()
    assert "These parts have answers or scores and stay as they are." in page


def test_scores_of_a_part_hold_it_as_well(free):
    making.scores(free, {"early-2": True})
    AtomScore.objects.create(
        score=Score.objects.get(), atom=Atom.objects.get(prompt__key="p2", index=1), value=1
    )
    version = drafts.make_draft(study=free)
    row = version.prompts.get(prompt__key="p2")
    drafts.save_parts(row=row, parts=[])
    with pytest.raises(JudgeRefused, match="“a red circle, number 2”"):
        freeze(study=free)


def test_parts_stay_while_people_may_answer_about_them_by_number(free):
    free.form = publish_form(geneval2_atoms.FORM)
    free.save()
    person = making.person(free, "reader")
    given = assign.next_image(annotator=person).image
    version = drafts.make_draft(study=free)
    row = version.prompts.select_related("prompt").get(prompt=given.prompt)
    drafts.save_parts(row=row, parts=[])
    held = list(given.prompt.atoms.values_list("pk", flat=True))
    with pytest.raises(JudgeRefused, match="have been given 1 of these images already"):
        freeze(study=free)
    assert list(given.prompt.atoms.values_list("pk", flat=True)) == held
    # The form that asks about whole images only names no part.
    free.form = publish_form(geneval_audit.FORM)
    free.save()
    assert freeze(study=free).frozen_at


def test_a_later_version_replaces_what_nobody_has_answered(free):
    drafts.make_draft(study=free)
    freeze(study=free)
    version = drafts.make_draft(study=free)
    row = version.prompts.select_related("prompt").get(prompt__key="free-2")
    (part,) = drafts.by_grammar(row.prompt)
    changed = drafts.corrected([part], {"question-0": "Is a bench there?"})
    drafts.save_parts(row=row, parts=changed)
    assert freeze(study=free).number == 2
    assert atoms(free, "free-2") == [("Is a bench there?", "Yes", [])]
    assert drafts.frozen_of(free).number == 2
    with pytest.raises(JudgeRefused, match="frozen"):
        drafts.save_parts(row=row, parts=[])
    assert Event.objects.filter(did="parts frozen").count() == 2


def test_freezing_without_a_draft_is_a_sentence(as_alice, free):
    answer = as_alice.post(reverse("prompt-parts-freeze", args=[free.slug]))
    assert answer.status_code == 422
    assert "There is no draft to freeze." in answer.content.decode()


def test_a_draft_is_thrown_away_and_the_number_is_used_again(as_alice, free):
    drafts.make_draft(study=free)
    as_alice.post(reverse("prompt-parts-forget", args=[free.slug]))
    assert not PartsVersion.objects.exists()
    assert drafts.make_draft(study=free).number == 1


def test_the_same_import_again_finds_the_prompts_unchanged(free):
    drafts.make_draft(study=free)
    freeze(study=free)
    outcome = Outcome()
    records = [making.prompt(n) for n in range(4)]
    write_study.import_records(study=free, records=records, outcome=outcome)
    assert (outcome.unchanged, outcome.rejected) == (4, [])


# --- the page


def test_annotators_do_not_see_it_and_change_nothing(as_bob, free):
    version = drafts.make_draft(study=free)
    row = version.prompts.first()
    assert as_bob.get(reverse("prompt-parts", args=[free.slug])).status_code == 403
    for name, more in (("draft", ()), ("forget", ()), ("freeze", ()), ("save", (row.pk,))):
        address = reverse(f"prompt-parts-{name}", args=[free.slug, *more])
        assert as_bob.post(address).status_code == 403
    assert atoms(free, "free-0") == []


def test_a_row_of_another_study_is_not_found(as_alice, free):
    other = making.study("elsewhere")
    row = drafts.make_draft(study=other).prompts.first()
    assert as_alice.post(reverse("prompt-parts-save", args=[free.slug, row.pk])).status_code == 404


@pytest.mark.parametrize("number", [2**63 - 1, 2**63, 2**64])
def test_a_row_that_no_table_can_hold_is_not_found(as_alice, free, number):
    address = reverse("prompt-parts-save", args=[free.slug, number])
    assert as_alice.post(address).status_code == 404


def test_a_card_is_saved_as_a_fragment_and_counts_as_checked(as_alice, free):
    row = drafts.make_draft(study=free).prompts.get(prompt__key="free-1")
    address = reverse("prompt-parts-save", args=[free.slug, row.pk])
    answer = as_alice.post(address, {"question-0": "Any cats?"}, HTTP_HX_REQUEST="true")
    card = answer.content.decode()
    assert "<html" not in card and 'value="Any cats?"' in card and "Checked" in card
    row.refresh_from_db()
    assert row.is_checked and row.parts[0]["question"] == "Any cats?"
    left = as_alice.get(reverse("prompt-parts", args=[free.slug]) + "?show=unchecked")
    assert "1 of 7 prompts checked" in left.content.decode()
    assert "Any cats?" not in left.content.decode()


def test_a_question_that_is_too_long_is_refused_in_words(as_alice, free):
    row = drafts.make_draft(study=free).prompts.get(prompt__key="free-1")
    address = reverse("prompt-parts-save", args=[free.slug, row.pk])
    answer = as_alice.post(address, {"question-0": "x" * 501})
    assert answer.status_code == 422
    assert "Part 1: a question has at most 500 characters." in answer.content.decode()


def test_the_page_asks_as_often_with_more_prompts(as_alice, free):
    drafts.make_draft(study=free)
    address = reverse("prompt-parts", args=[free.slug])
    as_alice.get(address)

    def queries():
        with CaptureQueriesContext(connection) as asked:
            assert as_alice.get(address).status_code == 200
        return len(asked)

    few = queries()
    version = drafts.draft_of(free)
    for record in new_prompts.write_down("\n".join(f"{n} green apples" for n in range(2, 32))):
        prompt = Prompt.objects.create(study=free, key=record.key, text=record.text)
        PromptParts.objects.create(version=version, prompt=prompt)
    assert queries() == few


def test_every_page_leads_to_the_draft_where_prompts_lack_parts(as_alice, free):
    page = as_alice.get(reverse("run-judges", args=[free.slug])).content.decode()
    assert f'<a href="{reverse("prompt-parts", args=[free.slug])}">Draft questions</a>' in page


# --- the command


def test_the_command_drafts_by_the_grammar(free, capsys):
    call_command("draft_parts", free.slug)
    assert "Drafted version 1 for 7 prompts." in capsys.readouterr().out
    with pytest.raises(CommandError, match="There is a draft already"):
        call_command("draft_parts", free.slug)


def drafts_dsg(asked, before):
    """A model that splits the first prompt, and rambles about every other one."""
    if "a red cup" not in asked.text.rpartition("Description:")[2]:
        return spoken("I would rather write a poem.")
    items = [
        ("entity", [], "a cup is there", "Is there a cup?"),
        ("attribute", [1], "the cup is red", "Is the cup red?"),
        ("entity", [], "dogs are there", "Are there dogs?"),
        ("relation", [1, 3], "the cup is left of the dogs", "Is the cup to the left of the dogs?"),
    ]
    keys = ("type", "depends_on", "statement", "question")
    return spoken(
        json.dumps([{**dict(zip(keys, item, strict=True)), "detail": "whole"} for item in items])
    )


def test_the_command_drafts_by_a_model_server_and_by_the_grammar_where_that_rambles(
    free, settings, capsys
):
    settings.JUDGE_SERVERS = ["loopback"]
    with standing_in(drafts_dsg) as there:
        call_command("draft_parts", free.slug, model="seer", base_url=there.url)
    told = capsys.readouterr()
    assert "“a bench”: drafted by the grammar instead. The reply is no JSON" in told.err
    # Prompts that have parts were not asked about.
    assert len(there.asked) == 3
    version = freeze(study=free)
    assert version.source == "seer"
    assert atoms(free, "free-0") == [
        ("Is there a cup?", "Yes", []),
        ("Is the cup red?", "Yes", [0]),
        ("Are there dogs?", "Yes", []),
        ("Is the cup to the left of the dogs?", "Yes", [0, 2]),
    ]
    assert Prompt.objects.get(study=free, key="free-0").metadata["include"] == [
        {"class": "dog", "count": 1},
        {"class": "cup", "count": 1, "color": "red", "position": ["left of", 0]},
    ]
    assert atoms(free, "free-2") == [("Are there any benches in the image?", "Yes", [])]

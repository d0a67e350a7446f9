"""Nothing is left in English on the pages of judges, whole and as the part that htmx asks for."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import translation

from annotations.language.stored_words import translate_stored
from annotations.models import Atom, Membership, Prompt, Study
from judges import own_recipes
from judges.models import Look, Measurement, ModelServer, Run, SelfCheck, WeightCheck
from judges.parts import drafts
from judges.parts.freeze import freeze
from judges.runs import queries as run_queries
from tests import making
from tests.audit.pages.test_dashboards import judge_all
from tests.languages.brackets import (
    ALWAYS,
    names_of_judges,
    texts_of_forms,
    texts_outside_brackets,
)
from tests.languages.test_owner_pages import IN_PART, OF_FILES

LANGUAGES = ("de", "zh-hans")
RECIPE = 'name = "strict-dsg"\ntitle = "Strict"\nmethod = "dsg"\n[answers]\nengine = "builtin"\n'
REFUSED = "This prompt has no questions to ask."
UNSEEN = "it answered “no” about a picture of a red square."
WEIGHTS = {
    "part": "answers",
    "engine": "QwenVL",
    "checkpoint": "qwen1",
    "commit": "c0ffee",
    "files": {"model.safetensors": 3_900_000_000},
    "memory": {"float32": 33_000_000_000, "bfloat16": 16_500_000_000},
    "precision": "bfloat16",
    "free": {"cpu": 64_000_000_000},
    "self_test": "passed",
    "seconds": 1.25,
    "missing": ["layer1"],
    "unexpected": ["layer2"],
    "mismatched": ["layer3"],
    "official": [{"name": "file1", "address": "https://a.example/f", "size": 9, "sha256": "c0de"}],
    "notes": ["its keys are compared when it is loaded"],
    "wrong": "“qwen1” has no config.json, which says what model the weights belong to: copy the whole "
    "repository, not the weights alone.",
}
# What they say that a model or a person has: names, units, words of prompts and replies.
OF_JUDGES = [
    *("strict-dsg", "Strict", "TOML", "seer1", "key", "bench1", "min", "GB", "GiB", "JSON", "UTC"),
    *("qwen1", "c0ffee", "model.safetensors", "float32", "bfloat16", "cpu", "layer1", "layer2"),
    *("layer3", "file1", "SHA-256", "c0de", "JPEG", "vLLM", "SGLang", "Ollama", "https", "api"),
    *(
        *("api.openai.com", "MiB", "example", "geneval-builtin", "CSV", "test-some-judge"),
        *("object", "reply1"),
    ),
]

# A recipe to begin with, as it is written.
EXAMPLE = re.compile(r"placeholder='[^']*'")


@pytest.fixture(scope="module")
def judged_once(make_once):
    return make_once(build_judged).pk


@pytest.fixture
def judged(db, judged_once, pictures_of_the_file):
    return Study.objects.get(pk=judged_once)


@pytest.fixture
def as_owner(client, judged):
    client.force_login(User.objects.get(username="alice"))
    return client


def build_judged(by: User | None = None) -> Study:
    """Something on each page of judges."""
    study = Study.objects.filter(slug="shapes").first() or making.study()
    user = by or making.person(study, "alice", role="owner").user
    user.is_superuser = True
    user.save()
    judge_all(study)
    run, image = Run.objects.get(study=study), study.images.earliest("key")
    run.scores.filter(image=image).update(value=None, correct=None, error=REFUSED)
    _look(image)
    version = drafts.make_draft(study=study, by=user)
    freeze(study=study)
    version = drafts.make_draft(study=study, by=user)
    first, second = version.prompts.order_by("pk")[:2]
    asked = [{**part, "question": "a statement1", "expected": "red1"} for part in first.parts]
    first.parts = [*asked, *asked[:1]]
    first.hints = 3
    first.save()
    second.is_checked = True
    second.save()
    own_recipes.add(text=RECIPE, by=user)
    _jobs(study, run, user)
    ModelServer.objects.create(
        address="https://api.example/v1",
        model="seer1",
        daily_budget=5,
        price_in=1,
        price_out=1,
        trial={"wrong": {"answers": "", "talk": UNSEEN}, "seconds": 1.0, "tokens": [9, 9]},
    )
    return study


def _look(image) -> None:
    reply = {"said": "reply1", "probability": 0.5, "tokens": [["reply1", 0.5]], "seconds": None}
    asked = [
        ({"kind": "answers", "text": "reply1"}, reply),
        ({"kind": "colors", "noun": "object", "index": 0}, "reply1"),
        ({"kind": "depth", "box": [0, 0, 1, 1]}, None),
        ({"kind": "writing"}, []),
    ]
    for number, (want, told) in enumerate(asked):
        Look.objects.create(
            image=image, engine="bench1", want=str(number), asked=want, told=told, seconds=0.5
        )


def _jobs(study: Study, run: Run, user: User) -> None:
    WeightCheck.objects.create(
        study=study, by=user, judge="geneval-builtin", state="done", parts=[WEIGHTS]
    )
    pairs = [
        {"check": "again", "image": f"image{n}", "prompt": "p", "before": n, "after": 1}
        for n in (0, 1)
    ]
    why = {"its prompt does not name two things with a color each": 2}
    for _ in range(2):
        SelfCheck.objects.create(
            study=study,
            by=user,
            judge="geneval-builtin",
            options={},
            count=2,
            seed=0,
            state="done",
            fingerprint="c0ffee",
            pairs=pairs,
            left_out={"mirror": why},
        )
    Measurement.objects.create(
        study=study,
        run=run,
        judge=run.judge.name,
        count=2,
        state="refused",
        reason="The run of this judge has been removed.",
    )


def addresses_of(study: Study) -> dict[str, str]:
    """Every page of judges that this study has."""
    slug, run = study.slug, Run.objects.get(study=study)
    image = study.images.earliest("key").public_id
    return {
        **{
            name: reverse(name, args=[slug])
            for name in (
                *("runs", "run-judges", "model-servers", "recipes", "judge-dates"),
                *("prompt-parts", "imports"),
            )
        },
        **{name: reverse(name, args=[slug, run.pk]) for name in ("run-failures", "run-card")},
        "look": reverse("look", args=[slug, image]),
        "look-of-one": reverse("look", args=[slug, image]) + "?judge=some-judge",
        "weight-check": reverse("weight-check", args=[slug, WeightCheck.objects.latest("pk").pk]),
        "self-check": reverse("self-check", args=[slug, SelfCheck.objects.latest("pk").pk]),
        "hints": reverse("prompt-parts", args=[slug]) + "?show=hints",
    }


PAGES = (
    *("runs", "run-judges", "model-servers", "recipes", "judge-dates", "prompt-parts", "imports"),
    *("run-failures", "run-card", "look", "look-of-one", "weight-check"),
    *("self-check", "hints"),
)


def data_of(study: Study) -> list[str]:
    names = [*Membership.objects.filter(study=study).values_list("name", flat=True)]
    names += [*study.generators.values_list("name", flat=True)]
    names += [*study.images.values_list("key", flat=True)]
    names += [*Prompt.objects.filter(study=study).values_list("key", flat=True)]
    for atom in Atom.objects.filter(prompt__study=study):
        names += [atom.kind, atom.text, atom.question, atom.expected]
    names += ["statement1", "red1", "image0", "image1", "Yes", "No"]
    return [*texts_of_forms(study), *names, *names_of_judges(), *OF_FILES, *OF_JUDGES]


@pytest.mark.parametrize("part", [{}, IN_PART], ids=["whole", "part"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_of_judges_is_finished(as_owner, judged, bracketed, name, part):
    page = as_owner.get(addresses_of(judged)[name], headers={**bracketed, **part})
    assert page.status_code == 200 and "⟦" in page.text
    assert left_of(page, judged) == set()


def left_of(page, study: Study) -> set[str]:
    return texts_outside_brackets(EXAMPLE.sub("", page.text), [*ALWAYS, *data_of(study)])


# What a model was asked and replied is English, as docs/languages.md has it.
MOSTLY_ENGLISH = {"look", "look-of-one", "weight-check"}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", [name for name in PAGES if name not in MOSTLY_ENGLISH])
def test_nothing_on_a_page_of_judges_is_marked_as_english(as_owner, judged, name, language):
    """What a judge itself is about stands so in its recipe."""
    page = as_owner.get(addresses_of(judged)[name], headers={"Accept-Language": language})
    abouts = {choice.about for choice in run_queries.judge_choices(judged)} | {""}
    marked = re.findall(r'<span lang="en">(.*?)</span>', page.text, re.DOTALL)
    assert [text for text in marked if text not in abouts and "CSV" not in text] == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("route", "sent"),
    [
        ("recipes", {"text": ""}),
        ("recipes", {"text": "name ="}),
        ("recipes", {"text": 'name = "x-y"\n'}),
        ("recipes", {"text": 'name = "x-y"\ntitle = "t"\nmethod = "none"\n'}),
        ("recipes", {"text": 'name = "x-y"\ntitle = "t"\nmethod = "dsg"\nnone = 1\n'}),
        ("recipes", {"text": RECIPE + "nothing = 1\n"}),
        ("recipes", {"text": RECIPE.replace("[", "options.transitive = 3\n[")}),
        ("recipes", {"text": RECIPE.replace('"Strict"', '"Other"')}),
        ("judge-dates", {"released": "no day"}),
        ("judge-dates", {"released": "2024-04-01"}),
        ("model-servers", {"address": "", "model": ""}),
        ("model-servers", {"address": "nowhere", "model": "m"}),
        ("model-servers", {"address": "http://127.0.0.1:9/v1", "model": "m"}),
        ("model-servers", {"address": "https://a.example", "model": "m", "price_in": "much"}),
        ("model-servers", {"address": "https://a.example", "model": "m", "daily_budget": "3"}),
        ("run-start", {"judge": "none"}),
        ("run-start", {"judge": "geneval-builtin", "option:none": "1"}),
        ("run-start", {"judge": "geneval-builtin", "option:threshold": "1000"}),
        ("prompt-parts-freeze", {}),
    ],
)
def test_what_a_form_of_judges_answers_has_a_translation(as_owner, judged, language, route, sent):
    """In a real language: a sentence that nobody has translated would be marked, or stand as it is."""
    if "released" in sent:
        sent = {f"released-{Run.objects.get(study=judged).pk}": sent["released"]}
    said = []
    for spoken in ("en", language):
        answer = as_owner.post(
            reverse(route, args=[judged.slug]), sent, headers={"Accept-Language": spoken}
        )
        if answer.status_code == 302:
            answer = as_owner.get(answer.url, headers={"Accept-Language": spoken})
        said.append({text for text in left_of(answer, judged) if len(text.split()) > 2})
    assert said[0] and not said[0] & said[1]
    assert '<span lang="en">' not in answer.text or route == "run-start"


def test_a_file_that_is_no_text_is_refused_in_the_language(as_owner, judged):
    sent = {"file": SimpleUploadedFile("mine.toml", b"\xff\xfe")}
    answer = as_owner.post(
        reverse("recipes", args=[judged.slug]), sent, headers={"Accept-Language": "de"}
    )
    assert "„mine.toml“ ist kein Text in UTF-8" in answer.text


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ("In the recipe, “title” is missing.", "In dem Rezept: „title“ fehlt."),
        ("The recipe: “options.transitive” must be true or false, not 3.",
         "Das Rezept: „options.transitive“ muss true oder false sein, nicht 3."),
        ("“dsg” does not take these options: “threshold” must be a number from 0 to 1, not 5.",
         "„dsg“ nimmt diese Optionen nicht an: „threshold“ muss eine Zahl von 0 bis 1 sein, nicht 5."),
        ("Not every question was answered: The server's reply holds no text.",
         "Nicht jede Frage wurde beantwortet: Die Antwort des Servers enthält keinen Text."),
        ("The engine could not be reached: localhost did not answer: timed out. Resume the run later.",
         "Die Engine war nicht erreichbar: localhost hat nicht geantwortet: timed out. Setzen Sie den Lauf später fort."),
    ],
)  # fmt: skip
def test_a_stored_sentence_of_a_judge_is_told_in_german(english, german):
    with translation.override("de"):
        assert translate_stored(english) == german

"""What a judge can score is known before it is asked: how many images, and why not the others."""

from html import unescape

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotations.models import Atom as AtomRow
from annotations.models import Image, Prompt
from judges import installed
from judges.models import Judge, Look, Run
from judges.runs import lifecycle, score_chunk
from judges.runs.fit import Fit, StudyPrompts
from judges.runs.queries import judge_choices
from jurybox_judging import catalogue
from jurybox_judging.errors import JudgeRefused
from jurybox_judging.methods.dsg import Dsg
from jurybox_judging.methods.tifa import Tifa
from jurybox_judging.protocols import Atom, KnownAnswers, Subject, Unscored
from tests import making

pytestmark = pytest.mark.django_db
CAT = Atom(0, "object", "cat", "Are there any cats in the image?", "Yes")


@pytest.fixture
def free(study):
    """Prompts in free words: two images each, no parts, no clauses."""
    study.prompts.update(metadata={})
    for prompt in study.prompts.all():
        prompt.atoms.all().delete()
    return study


def fit(study, name, most=1000, **options):
    return StudyPrompts(study, most).fit(name, options)


def lacks(found):
    return [(obstacle.lacks, obstacle.images) for obstacle in found.obstacles]


def test_images_are_counted_with_why_not_the_others(study):
    # Four prompts with two images each; one has no clause any more.
    study.prompts.filter(key="p1").update(metadata={})
    found = fit(study, "geneval-builtin")
    assert (found.images, found.scorable) == (8, 6)
    (obstacle,) = found.obstacles
    assert obstacle.reason == "This prompt has no include clause for GenEval to check."
    assert (obstacle.lacks, obstacle.images) == ("include", 2)


def test_the_most_frequent_reason_comes_first_and_words_that_differ_are_one_reason(study):
    study.prompts.filter(key="p0").update(metadata={})
    for key, name in (("p1", "zeppelin"), ("p2", "teapot")):
        study.prompts.filter(key=key).update(metadata={"include": [{"class": name, "count": 1}]})
    assert lacks(fit(study, "geneval-builtin")) == [("classes", 4), ("include", 2)]


def test_an_image_without_a_file_cannot_be_scored_where_an_engine_looks_at_pixels(study):
    Image.objects.filter(key="early-0").update(file="", sha256="")
    assert lacks(fit(study, "geneval-builtin")) == [("picture", 1)]
    # Detections in a file are found by the image's name.
    assert fit(study, "geneval-from-file").scorable == 8


def test_the_built_in_engine_says_before_that_it_cannot_read_the_prompts(free):
    found = fit(free, "vqa-score-builtin")
    assert found.is_impossible
    assert "cannot read the prompt" in found.obstacles[0].reason
    assert fit(free, "vqa-score").scorable == 8


def test_of_many_prompts_some_are_looked_at_evenly_and_that_is_said(study):
    # Numbers 0 and 2 of the four: both have a clause, numbers 1 and 3 have none.
    study.prompts.filter(key__in=["p1", "p3"]).update(metadata={})
    found = fit(study, "geneval-builtin", most=2)
    assert (found.images, found.scorable, found.prompts, found.prompts_in_all) == (4, 4, 2, 4)
    assert found.is_sampled and not fit(study, "geneval-builtin").is_sampled


def test_a_share_is_0_or_100_percent_only_where_it_is_none_or_all():
    assert [Fit(1000, n).percent for n in (0, 1, 500, 999, 1000)] == [0, 1, 50, 99, 100]


@pytest.mark.parametrize(
    ("method", "atom", "lacking"),
    [
        (Tifa(form="free"), Atom(0, "count", "two", "How many?", "two"), "choices"),
        (Dsg(wording="gpt-4o"), Atom(0, "count", "two", "How many?", "two"), "yes or no"),
        (Tifa(form="free"), None, "questions"),
        (Dsg(wording="gpt-4o"), None, "questions"),
    ],
)
def test_a_method_asks_nothing_about_a_prompt_that_it_cannot_judge(method, atom, lacking):
    subject = Subject("two cats", (atom,) if atom else ())
    assert not method.wants(subject, KnownAnswers())
    judged = method.judge(subject, KnownAnswers())
    assert isinstance(judged, Unscored) and judged.lacks == lacking
    assert method.wants(
        Subject("a cat", (Atom(0, "object", "cat", "A cat?", "yes"),)), KnownAnswers()
    )


def test_no_judge_of_the_catalogue_fails_on_a_prompt_in_free_words(free):
    prompts = StudyPrompts(free, 1000)
    fits = prompts.fits(catalogue.JUDGES)
    assert all(found.images == 8 for found in fits.values())
    for name, found in fits.items():
        assert all(" " in obstacle.reason for obstacle in found.obstacles), name


# --- a judge that can score nothing is not started


def test_a_judge_that_can_score_nothing_is_refused_with_the_reason(free):
    with pytest.raises(JudgeRefused, match=r"none of this study's images.*no include clause"):
        lifecycle.start_run(study=free, name="geneval-builtin")
    assert not Run.objects.exists() and not Judge.objects.exists()
    with pytest.raises(CommandError, match="can score none"):
        call_command("run_judge", free.slug, "geneval-builtin")


def test_the_page_and_the_api_refuse_it_too(as_alice, free):
    answer = as_alice.post(reverse("run-start", args=[free.slug]), {"judge": "tifa-builtin"})
    assert answer.status_code == 422 and "can score none" in answer.content.decode()
    sent = {"judge": "tifa-builtin"}
    answer = as_alice.post(reverse("api-runs", args=[free.slug]), sent, "application/json")
    assert answer.status_code == 422 and "can score none" in answer.json()["message"]
    assert not Run.objects.exists()


def test_one_image_that_can_be_scored_is_enough(free):
    Prompt.objects.filter(study=free, key="p3").update(metadata=making.prompt(3).metadata)
    assert lifecycle.start_run(study=free, name="geneval-builtin").is_running


def test_stored_answers_may_be_all_that_a_judge_wants_of_images_without_a_file(study):
    Image.objects.update(file="", sha256="")
    with pytest.raises(JudgeRefused, match="no file to look at"):
        lifecycle.start_run(study=study, name="geneval-builtin")
    Look.objects.create(image=study.images.first(), engine="e", want="w", asked={}, told=[])
    assert lifecycle.start_run(study=study, name="geneval-builtin").is_running


def test_a_second_click_on_start_makes_no_second_run(as_alice, study):
    start, judge = reverse("run-start", args=[study.slug]), {"judge": "geneval-builtin"}
    as_alice.post(start, judge)
    first = Run.objects.get()
    as_alice.post(start, judge)
    assert Run.objects.get() == first
    assert Run.objects.get().started_at == first.started_at


def test_a_judge_that_has_scored_every_image_is_not_offered_again(as_alice, study):
    address = reverse("runs", args=[study.slug])
    button = 'id="start-geneval-builtin"'
    assert button in as_alice.get(address).text
    run = lifecycle.start_run(study=study, name="geneval-builtin")
    score_chunk.work_off(run=run)
    assert button not in as_alice.get(address).text
    # A new image has no score yet.
    image = study.images.first()
    image.pk, image.key, image.public_id = None, "new", "new-image"
    image.save()
    page = as_alice.get(address).text
    assert button in page and "Run missing" in page


def test_a_run_with_other_options_leaves_the_judge_itself_on_offer(as_alice, study):
    address, name = reverse("runs", args=[study.slug]), "soft-tifa-gm-builtin"
    for options, offered in (({"mean": "arithmetic"}, True), ({}, False)):
        run = lifecycle.start_run(study=study, name=name, options=options)
        score_chunk.work_off(run=run)
        run.refresh_from_db()
        assert (run.scored, run.failed) == (8, 0)
        assert (f'id="start-{name}"' in as_alice.get(address).text) is offered


# --- pages


def test_judges_that_fit_and_are_ready_come_first(study):
    choices = judge_choices(study)
    assert choices[0].name == "geneval-builtin"
    assert choices[0].readiness.title == "Ready"
    can_start = [choice.can_start for choice in choices]
    assert can_start == sorted(can_start, reverse=True)


def test_built_in_judges_are_listed_only_where_they_can_read_the_prompts(as_alice, free):
    page = as_alice.get(reverse("run-judges", args=[free.slug])).content.decode()
    assert "(built-in)" not in page
    assert (
        "8 images cannot be scored: This prompt has no include clause for GenEval to check." in page
    )
    runs = as_alice.get(reverse("runs", args=[free.slug])).content.decode()
    assert 'id="start-' not in runs
    # One click for all of them.
    link = f'could score these images: <a href="{reverse("prompt-parts", args=[free.slug])}">'
    assert link in runs and link in page
    assert "No judge that is ready here can score this study." in runs


def test_the_page_of_a_judge_says_what_it_will_do_and_leads_to_what_mends_it(as_alice, study):
    page = as_alice.get(reverse("run-options", args=[study.slug, "geneval-builtin"]))
    assert "Can score all 8 images." in page.content.decode()
    own = reverse("run-options", args=[study.slug, "chain-of-thought-server"])
    assert f'<a href="{own}">Choose the category</a>' in as_alice.get(own).content.decode()


def test_judges_that_cannot_score_a_study_stand_together_under_their_reason(as_alice, study):
    page = as_alice.get(reverse("run-judges", args=[study.slug])).content.decode()
    _, _, unable = page.partition("Cannot score this study (")
    groups = unable.split('<section class="unable">')[1:]
    named = {name for name in catalogue.JUDGES if f"/{name}/" in unable}
    choices = {choice.name: choice for choice in judge_choices(study) if choice.is_offered}
    assert named == {name for name, choice in choices.items() if not choice.can_start}
    assert unable.startswith(f"{len(named)})")
    (wise,) = (group for group in groups if "/wise-legacy-server/" in group)
    assert "8 images cannot be scored: This prompt's metadata" in unescape(wise)
    assert "/wise-verified-server/" in wise and "/chain-of-thought-server/" not in wise
    # Its own page mends it.
    assert "Choose the category" not in unable


def test_prompts_that_nobody_changed_are_counted_once(study, monkeypatch):
    before = StudyPrompts(study, 100).fits(installed.entries())
    with monkeypatch.context() as patch:
        patch.setattr(StudyPrompts, "_count", lambda *_: pytest.fail("counted again"))
        assert StudyPrompts(study, 100).fits(installed.entries()) == before
    assert fit(study, "geneval-builtin").scorable == 8
    study.prompts.first().delete()
    assert fit(study, "geneval-builtin", most=100).scorable < 8


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("dsg-builtin", lambda prompts: AtomRow.objects.filter(prompt__in=prompts).delete()),
        ("geneval-builtin", lambda prompts: prompts.update(metadata={})),
        (
            "dsg-builtin",
            lambda prompts: Image.objects.filter(prompt__in=prompts).update(file="", sha256=""),
        ),
    ],
)
def test_what_changed_in_a_prompt_is_counted_anew(study, name, change):
    assert fit(study, name).scorable == 8
    change(study.prompts.filter(pk=study.prompts.first().pk))
    assert fit(study, name).scorable == 6


def test_what_is_asked_every_second_says_nothing_of_other_judges(as_alice, study):
    address = reverse("runs", args=[study.slug])
    moving = as_alice.get(address, HTTP_HX_REQUEST="true", HTTP_HX_TARGET="runs")
    assert "Start a judge" not in moving.content.decode()
    after_start = as_alice.get(address, HTTP_HX_REQUEST="true", HTTP_HX_TARGET="judging")
    assert "Start a judge" in after_start.content.decode()
    assert "<html" not in after_start.content.decode()


@pytest.mark.parametrize("name", ["runs", "run-judges"])
def test_the_pages_ask_as_often_with_more_prompts(as_alice, study, name):
    address = reverse(name, args=[study.slug])
    as_alice.get(address)

    def queries():
        with CaptureQueriesContext(
            connection,
        ) as asked:
            assert as_alice.get(address).status_code == 200
        return len(asked)

    few = queries()
    Prompt.objects.bulk_create(
        Prompt(study=study, key=f"more-{n}", text=f"a blue star, number {n}") for n in range(150)
    )
    assert queries() == few


def test_the_api_says_of_each_judge_what_fits(as_alice, study):
    told = as_alice.get(reverse("api-judge-offers", args=[study.slug])).json()
    by_name = {one["name"]: one for one in told}
    assert by_name["geneval-builtin"]["fit"]["scorable"] == 8
    assert by_name["geneval-builtin"]["state"] == "ready"
    assert by_name["vqa-score-server"]["needs"].startswith("Needs a server")

"""The judges, their options, and what engines told of one image: pictures and axe."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotations.models import Study
from judges.models import SelfCheck, WeightCheck
from judges.runs import lifecycle, score_chunk
from tests.browser.conftest import make_study
from tests.browser.test_look import SIZES, take

PAGES = {
    "runs": "runs/",
    "judges": "runs/judges/",
    "options": "runs/start/geneval/",
    "options-of-weights": "runs/start/clip-score-transformers/",
    "options-builtin": "runs/start/geneval-builtin/",
}


@pytest.fixture
def study(saved, request):
    return saved(build_judged if "judged" in request.fixturenames else make_study)


def build_judged() -> Study:
    made = make_study()
    for name in ("geneval-builtin", "soft-tifa-gm-builtin"):
        score_chunk.work_off(run=lifecycle.start_run(study=made, name=name))
    return made


@pytest.fixture
def judged(study):
    return study


@pytest.mark.nightly("test_navigation.py has axe look at the pages of judges")
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", PAGES)
def test_a_page_of_judges(open_page, alice, judged, name, size):
    page = open_page(alice, f"/studies/{judged.slug}/{PAGES[name]}", size=SIZES[size])
    take(page, f"judge-{name}-{size}")


@pytest.mark.parametrize("size", SIZES)
def test_what_engines_told_of_one_image(open_page, alice, judged, size):
    image = judged.images.first()
    page = open_page(alice, f"/studies/{judged.slug}/looks/{image.public_id}/", size=SIZES[size])
    take(page, f"judge-look-{size}")


FOUND = {
    "part": "answers",
    "engine": "QwenVL",
    "checkpoint": "Qwen/Qwen2-VL-7B-Instruct",
    "commit": "0123456789abcdef" * 2 + "01234567",
    "files": {f"model-0000{n}-of-00005.safetensors": 3_900_000_000 for n in range(1, 6)},
    "memory": {"float32": 33_000_000_000, "bfloat16": 16_500_000_000},
    "precision": "bfloat16",
    "free": {"cpu": 120_000_000_000, "cuda": 80_000_000_000},
    "missing": [f"model.layers.{n}.self_attn.a_rather_long_name.weight" for n in range(12)],
    "wrong": "The weights of “Qwen” do not fit this model; it lacks: model.layers.0.weight.",
    "self_test": "not done",
}


@pytest.mark.parametrize("size", SIZES)
def test_the_answer_of_a_check_of_weights(open_page, alice, study, size):
    check = WeightCheck.objects.create(
        study=study, judge="soft-tifa-gm-qwen2-vl", state="done", parts=[FOUND], by=alice.user
    )
    page = open_page(alice, f"/studies/{study.slug}/runs/weights/{check.pk}/", size=SIZES[size])
    page.get_by_text("Missing keys").click()
    take(page, f"judge-weights-{size}")
    WeightCheck.objects.filter(pk=check.pk).update(state="waiting", outcome={})
    page.reload()
    expect(page.get_by_role("status")).to_contain_text("Waiting for a worker")
    WeightCheck.objects.filter(pk=check.pk).update(state="done", outcome={"parts": [FOUND]})
    # Without a visit: the page asks again by itself.
    expect(page.get_by_role("button", name="Start this judge")).to_be_visible()


PAIRS = [
    {
        "check": check,
        "image": f"img-{n:012x}",
        "prompt": f"p{n}",
        "before": 1.0,
        "after": float(check not in ("colors", "sides") and (check, n % 9) != ("mirror", 0)),
    }
    for check in ("again", "mirror", "recompress", "resize", "colors", "sides")
    for n in range(60)
]


@pytest.mark.parametrize("size", SIZES)
def test_a_judge_is_asked_to_check_itself(open_page, alice, judged, size):
    """The worker of the browser's tests works at once; then the page of a check that found something."""
    page = open_page(alice, f"/studies/{judged.slug}/runs/start/geneval-builtin/", size=SIZES[size])
    page.get_by_role("button", name="Check itself").click()
    page.wait_for_load_state()
    expect(page.get_by_role("status")).to_be_visible()
    first = SelfCheck.objects.get()
    SelfCheck.objects.filter(pk=first.pk).update(
        state="done",
        holder="",
        leased_until=None,
        outcome={
            "fingerprint": "0123456789abcdef",
            "pairs": [
                {**pair, "after": 1.0 - (pair["check"] in ("colors", "sides"))} for pair in PAIRS
            ],
            "left_out": {"colors": {"its prompt does not name two things with a color each": 229}},
        },
    )
    # Without a visit: the page asks again by itself.
    expect(page.get_by_role("button", name="Check again")).to_be_visible()
    second = SelfCheck.objects.create(
        study=judged,
        payload=first.payload,
        state="done",
        fingerprint="fedcba9876543210",
        by=alice.user,
        pairs=PAIRS,
        left_out={"colors": {"its prompt does not name two things with a color each": 229}},
    )
    page.goto(f"/studies/{judged.slug}/runs/self-checks/{second.pk}/")
    expect(page.get_by_role("heading", name="Over time")).to_be_visible()
    take(page, f"judge-self-check-{size}")


RECIPE = """name = "strict-dsg"
title = "DSG, also the grandparents"
method = "dsg"
options.transitive = true
answers.engine = "{engine}"
"""


@pytest.mark.parametrize("size", SIZES)
def test_a_recipe_is_pasted_mended_and_started(open_page, alice, judged, size):
    page = open_page(alice, f"/studies/{judged.slug}/runs/recipes/", size=SIZES[size])
    take(page, f"judge-recipes-empty-{size}")
    page.get_by_label("Recipe (TOML)").fill(RECIPE.format(engine="os:system"))
    page.get_by_role("button", name="Add").click()
    open_page.expected("422")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("“answers.engine” must be one of blip-itm")
    take(page, f"judge-recipes-refused-{size}")
    field = page.get_by_label("Recipe (TOML)")
    assert "os:system" in field.input_value()
    field.fill(RECIPE.format(engine="builtin"))
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("DSG, also the grandparents")
    page.get_by_role("button", name="Start").click()
    expect(page.locator("h3", has_text="DSG, also the grandparents").first).to_be_visible()
    page.goto(f"/studies/{judged.slug}/runs/recipes/")
    expect(page.get_by_text("Runs of 1 study rest on it.")).to_be_visible()
    take(page, f"judge-recipes-{size}")

"""Identities that guidance towards a repair must keep, on random pipelines of the true classes."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest

from annotations.errors import Refused
from judges.generating import guidance, pipelines, seed_check
from judges.generating.pipelines import How, Wish, denoiser_of, make
from tests.judges.generating import tiny_pipelines

if find_spec("diffusers") is None:
    pytest.skip("diffusers is not installed", allow_module_level=True)

pytestmark = pytest.mark.neural
SIZE = {"height": 16, "width": 16}
PLAIN = Wish("a red cat", 7)
PAIR = replace(PLAIN, wanted="the cat is red", found="the cat is blue")


@pytest.fixture(scope="module", params=["first", "third"])
def pipeline(request, tmp_path_factory):
    return getattr(tiny_pipelines, request.param)(tmp_path_factory.mktemp(request.param))


def made(pipeline, wish: Wish, **how) -> np.ndarray:
    chosen = How(**{"steps": 3, "guidance": 4.0, **SIZE, **how})
    return np.asarray(make(pipeline, wish, chosen, output="np"))


def apart(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.abs(one - other).max())


def test_the_same_prompt_twice_gives_the_plain_image(pipeline):
    same = replace(PLAIN, wanted="a blue dog", found="a blue dog")
    assert apart(made(pipeline, same), made(pipeline, PLAIN)) <= 1e-5


def test_without_strength_it_is_the_plain_image(pipeline):
    assert apart(made(pipeline, PAIR, strength=0.0), made(pipeline, PLAIN)) <= 1e-5


def test_the_prompt_against_nothing_is_plain_guidance_twice_as_strong(pipeline):
    twice = replace(PLAIN, wanted=PLAIN.prompt)
    assert apart(made(pipeline, twice), made(pipeline, PLAIN, guidance=8.0)) <= 1e-5


def test_a_pair_moves_the_image_and_the_same_seed_makes_it_again(pipeline):
    moved = made(pipeline, PAIR)
    assert apart(moved, made(pipeline, PLAIN)) > 1e-3
    assert apart(moved, made(pipeline, PAIR)) == 0
    assert apart(made(pipeline, replace(PAIR, seed=8)), moved) > 1e-3


def test_each_ablation_leaves_one_of_the_two_out(pipeline):
    for variant, left_out in (("positive", {"found": ""}), ("negative", {"wanted": ""})):
        ablated = made(pipeline, PAIR, variant=variant)
        assert apart(ablated, made(pipeline, replace(PAIR, **left_out))) == 0
        assert apart(ablated, made(pipeline, PAIR)) > 1e-4


def test_read_from_the_prompt_the_pair_is_added_to_the_prompts_own_answer(pipeline):
    # ey + g (ey - e0) is e0 + (g + 1)(ey - e0): plain guidance, one stronger.
    against_nothing = replace(PLAIN, wanted=PLAIN.prompt)
    moved = made(pipeline, against_nothing, reading="from-prompt")
    assert apart(moved, made(pipeline, PLAIN, guidance=5.0)) <= 1e-5
    assert apart(made(pipeline, PAIR, reading="from-prompt"), made(pipeline, PAIR)) > 1e-4


def test_a_classic_negative_is_the_pipelines_own_negative_prompt(pipeline):
    torch, _ = pipelines.libraries()
    found = "the cat is blue"
    own = pipeline(
        PLAIN.prompt,
        negative_prompt=found,
        num_inference_steps=3,
        guidance_scale=4.0,
        generator=torch.Generator("cpu").manual_seed(7),
        output_type="np",
        **SIZE,
    ).images[0]
    ours = made(pipeline, replace(PLAIN, found=found), variant="classic-negative")
    assert apart(ours, np.asarray(own)) <= 1e-5


def test_every_form_says_that_it_is_inferred_and_which_it_is():
    forms = {
        guidance.form_of(variant, reading)
        for variant in guidance.VARIANTS
        for reading in guidance.READINGS
    }
    assert len(forms) == 3
    assert all(form.startswith("inferred: ") and "equations 6 to 8" in form for form in forms)


def test_a_seed_draws_its_picture_again_and_another_setting_does_not(pipeline):
    how = How(steps=3, guidance=4.0, **SIZE)
    stored = make(pipeline, PLAIN, how)
    assert seed_check.difference(pipeline, PLAIN, how, stored) < seed_check.SAME
    other = seed_check.difference(pipeline, replace(PLAIN, seed=8), how, stored)
    assert other > seed_check.SAME
    named = seed_check.kernels(pipeline)
    assert "torch " in named
    assert type(pipeline.scheduler).__name__ in named


def test_afterwards_the_pipeline_is_as_it_was(pipeline):
    before = made(pipeline, PLAIN)
    with pytest.raises(RuntimeError, match="size|shape|mat1"):
        wrong = pipelines.prompt_conditions(pipeline, "a cat")
        states = wrong.given["encoder_hidden_states"]
        broken = replace(wrong, given={**wrong.given, "encoder_hidden_states": states[..., :5]})
        with pipelines.enforced(denoiser_of(pipeline), broken, broken):
            made(pipeline, PLAIN)
    assert "forward" not in vars(denoiser_of(pipeline))
    assert apart(made(pipeline, PLAIN), before) == 0


@pytest.mark.parametrize(
    ("wish", "how", "words"),
    [
        (replace(PAIR, seed=None), {}, "no seed in its metadata"),
        (PAIR, {"guidance": 1.0}, "must be above 1"),
        (PAIR, {"variant": "other"}, "enforce, positive, negative, classic-negative"),
        (PAIR, {"reading": "other"}, "Readings are from-nothing, from-prompt"),
        (replace(PAIR, found="cat " * 30), {}, "would not be read"),
        (PAIR, {"steps": 0}, "At least one step"),
    ],
)
def test_what_cannot_be_made_is_refused_with_a_sentence(pipeline, wish, how, words):
    with pytest.raises(Refused, match=words):
        made(pipeline, wish, **how)


def test_a_distilled_pipeline_is_refused(tmp_path):
    distilled = tiny_pipelines.first(tmp_path, time_cond_proj_dim=8)
    with pytest.raises(Refused, match="is distilled"):
        pipelines.refuse_unguided(distilled)


def test_a_pipeline_of_another_kind_is_refused():
    with pytest.raises(Refused, match="object cannot be guided towards a repair"):
        pipelines.refuse_unguided(object())


def test_a_pipeline_is_read_from_a_folder_and_makes_the_same_image(tmp_path):
    pipeline = tiny_pipelines.first(tmp_path / "words")
    pipeline.save_pretrained(tmp_path / "pipeline")
    again = pipelines.load(str(tmp_path / "pipeline"))
    assert apart(made(again, PAIR), made(pipeline, PAIR)) <= 1e-5
    with pytest.raises(Refused, match="holds no pipeline"):
        pipelines.load(str(tmp_path / "nothing"))

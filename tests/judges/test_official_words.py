"""What the official code asks, to the letter, read there and written down here; each string with its
repository, file and commit. What our judges of the same name ask must be the same.

t2v_metrics: linzhiqiu/t2v_metrics; T2I-CompBench: Karine-Huang/T2I-CompBench; DSG: j-min/DSG;
GenEval: djghosh13/geneval; CLIP_benchmark: LAION-AI/CLIP_benchmark. `PARITY` says which test holds what.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from jurybox_judging import catalogue, registry
from jurybox_judging.methods.chain_of_thought import ChainOfThought
from jurybox_judging.methods.dsg import Dsg
from jurybox_judging.methods.vqa_score import VqaScore
from jurybox_judging.protocols import Atom, KnownAnswers, Subject, Talk

ROOT = Path(__file__).resolve().parents[2]
# What the official code does → the tests that hold it, and how the row begins in docs/judge-differences.md that says
# what still differs.
_HERE = "tests/judges/test_official_words.py"
_ENGINES = "tests/judging/engines"
PARITY = {
    "LLaVA's words, end mark and bars": (
        (
            f"{_HERE}::test_llava_is_asked_as_vqascores_code_asks_it",
            f"{_ENGINES}/test_image_text.py::test_a_decoder_scores_the_end_mark_where_the_official_code_does",
            f"{_ENGINES}/test_image_text.py::test_a_picture_gets_bars_or_loses_its_ends_before_the_model_sees_it",
        ),
        "`vqa-score-llava`",
    ),
    "InstructBLIP's words and cut": (
        (
            f"{_HERE}::test_instructblip_is_asked_as_vqascores_code_asks_it",
            f"{_ENGINES}/test_image_text.py::test_an_encoder_and_decoder_score_the_end_mark_too",
        ),
        "`vqa-score-instructblip`",
    ),
    "BLIP-2 ITM: captions as they are, 35 tokens": (
        (f"{_HERE}::test_blip2_matches_the_text_as_it_is_and_reads_35_tokens",),
        "`blip2-itm`",
    ),
    "BLIP-VQA: the paper's file": (
        (f"{_HERE}::test_blip_vqa_wants_the_file_of_the_paper",),
        "`blip-vqa-transformers`",
    ),
    "DSG's prompt and reading": (
        (
            f"{_HERE}::test_dsg_asks_a_chat_model_as_its_code_asks_gpt_4o",
            "tests/judging/methods/test_dsg.py::test_every_official_reading_is_reproduced",
        ),
        "`dsg-server`",
    ),
    "the chain of thought's prompts": (
        (f"{_HERE}::test_the_chain_of_thought_is_that_of_the_scripts",),
        "chain of thought",
    ),
    "GenEval's numbers, templates and colors in half precision": (
        (
            f"{_HERE}::test_genevals_numbers_and_templates_are_those_of_its_script",
            f"{_ENGINES}/test_clip.py::test_colors_in_half_precision_are_those_of_genevals_own_steps",
        ),
        "`geneval`: colors",
    ),
    "depth at the script's size": (
        (
            f"{_HERE}::test_depth_is_read_at_the_scripts_size",
            f"{_ENGINES}/test_depth.py::test_the_scripts_reading_is_that_of_its_own_steps_one_by_one",
        ),
        "`compbench-3d`: depth",
    ),
    "the spatial detector's exchanged red and blue": (
        (
            f"{_ENGINES}/test_unidet_exporter.py::test_as_coded_red_and_blue_are_exchanged_unless_it_is_repaired",
        ),
        "`compbench-2d`",
    ),
    "overlap of boxes": (
        (
            f"{_HERE}::test_genevals_open_vocabulary_detector_counts_a_thing_once",
            "tests/judging/methods/test_geneval.py::test_every_official_overlap_is_reproduced",
        ),
        "`geneval-owlv2`",
    ),
}
PROMPT = "a red cup near a plate"
# t2v_metrics/models/vqascore_models/llava_model.py @ 1bec3905: default_question_template,
# default_answer_template, format_question, format_answer and load_images (image_aspect_ratio "pad");
# SYSTEM_MSG of t2v_metrics/constants.py.
LLAVA = (
    "A chat between a curious user and an artificial intelligence assistant. The assistant gives "
    "helpful, detailed, and polite answers to the user's questions. USER: <image>\n"
    'Does this figure show "a red cup near a plate"? Please answer yes or no. ASSISTANT: Yes</s>'
)
# …/instructblip_model.py @ c1543c7a: the same two, Resize(224) and CenterCrop(224); T5 ends an answer
# with its own mark.
INSTRUCTBLIP = (
    'Question: Does this figure show "a red cup near a plate"? Please answer yes or no.',
    "yes",
)
# …/clip_t5_model.py @ 8b7a7b26.
CLIP_FLANT5 = ('Does this figure show "a red cup near a plate"? Please answer yes or no.', "Yes")
# dsg/vqa_utils.py @ 2fdce11f, GPT4o.vqa.
DSG = (
    "Answer only with 'yes' or 'no'. Do not give other outputs or punctuation marks. "
    "Question: Is the cup red?"
)
# MLLM_eval/MiniGPT4-CoT_eval/mGPT_cot_general.py @ ac7b5aaa, category "complex".
COMPLEX = (
    "You are my assistant to evaluate the correspondence of the image to a given text prompt. "
    "Briefly describe the image within 50 words, focus on the objects in the image and their "
    "attributes (such as color, shape, texture), spatial layout and action relationships.",
    "According to the image and your previous answer, evaluate how well the image aligns with the "
    'text prompt: "a red cup near a plate". Give a score from 0 to 100, according the criteria:\n'
    " 100: the image perfectly matches the content of the text prompt, with no discrepancies.\n"
    " 80: the image portrayed most of the actions, events and relationships but with minor "
    "discrepancies.\n"
    " 60: the image depicted some elements in the text prompt, but ignored some key parts or "
    "details.\n"
    " 40: the image did not depict any actions or events that match the text.\n"
    " 20: the image failed to convey the full scope in the text prompt.\n"
    " Provide your analysis and explanation in JSON format with the following keys: score (e.g., "
    "85), explanation (within 20 words).",
)
SPATIAL = (
    "You are my assistant to identify objects and their spatial layout in the image. Briefly "
    "describe the image within 50 words.",
    'According to the image and your previous answer, evaluate if the text "a red cup near a plate" '
    "is correctly portrayed in the image. Give a score from 0 to 100, according the criteria:\n"
    " 100: correct spatial layout in the image for all objects mentioned in the text\n"
    " 80: basically, spatial layout of objects matches the text\n"
    " 60: spatial layout not aligned properly with the text\n"
    " 40: image not aligned properly with the text\n"
    " 20: image almost irrelevant to the text\n"
    " Provide your analysis and explanation in JSON format with the following keys: score (e.g., "
    "85), explanation (within 20 words).",
)
NON_SPATIAL = (
    "You are my assistant to identify the actions, events, objects and their relationships in the "
    "image. Briefly describe the image within 50 words.",
    'According to the image and your previous answer, evaluate if the text "a red cup near a plate" '
    "is correctly portrayed in the image. Give a score from 0 to 100, according the criteria:\n"
    " 100: the image accurately portrayed the actions, events and relationships between objects "
    "described in the text.\n"
    " 80: the image portrayed most of the actions, events and relationships but with minor "
    "discrepancies.\n"
    " 60: the image depicted some elements, but action relationships between objects are not "
    "correct.\n"
    " 40: the image failed to convey the full scope of the text.\n"
    " 20: the image did not depict any actions or events that match the text.\n"
    " Provide your analysis and explanation in JSON format with the following keys: score (e.g., "
    "85), explanation (within 20 words).",
)
# MiniGPT4-CoT_eval/mGPT_cot_attribute.py @ 7710d059: spaCy's noun chunks are "a red cup", "a plate".
COLOR = (
    "You are my assistant to identify any objects and their color in the image. Briefly describe "
    "what it is in the image within 50 words",
    "According to the image and your previous answer, evaluate if there is a red cup in the image?"
    "Give a score from 0 to 100, according the criteria:\n"
    " 100: there is cup, and cup is red.\n"
    " 75: there is cup, cup is mostly red.\n"
    " 20: there is cup, but it is not red.\n"
    " 10: no cup in the image.\n"
    " Provide your analysis and explanation in JSON format with the following keys: score (e.g., "
    "85), explanation (within 20 words). ",
    "Please evaluate if there is a plate in the image according to the same criteria. Provide your "
    "analysis and explanation in JSON format with the following keys: score (e.g., 85), explanation "
    "(within 20 words)",
)


def part_of(name: str, kind: str = "answers"):
    """The engine's options in this recipe."""
    told = registry.declared_options(name)
    return {k.partition(".")[2]: o.default for k, o in told.items() if k.startswith(f"{kind}.")}


def asked_by(name: str):
    """The one question that this judge of VQAScore asks, as its recipe sets it."""
    (want,) = VqaScore(**catalogue.entry(name).options).wants(Subject(PROMPT), KnownAnswers())
    return want


def test_llava_is_asked_as_vqascores_code_asks_it():
    want, engine = asked_by("vqa-score-llava"), part_of("vqa-score-llava")
    whole = engine["template"].replace("{question}", want.text)
    # The blank between the two belongs to the answer's token.
    assert f"{whole} {want.answers[0]}</s>" == LLAVA
    assert want.rule == "sequence"
    assert (engine["end_mark"], engine["square"]) == (True, "longest")


def test_instructblip_is_asked_as_vqascores_code_asks_it():
    want, engine = asked_by("vqa-score-instructblip"), part_of("vqa-score-instructblip")
    assert (engine["template"].replace("{question}", want.text), want.answers[0]) == INSTRUCTBLIP
    assert (want.rule, engine["square"]) == ("sequence", "shortest")


def test_clip_flant5_is_asked_as_vqascores_code_asks_it():
    want = asked_by("vqa-score")
    assert (want.text, want.answers[0], want.rule) == (*CLIP_FLANT5, "sequence")


def test_blip2_matches_the_text_as_it_is_and_reads_35_tokens():
    # t2v_metrics/models/itmscore_models/blip2_itm_model.py @ 3bbca0aa: tokenizer(texts, max_length=35)
    engine = part_of("blip2-itm", "similarity")
    assert (engine["clean"], engine["longest"]) == (False, 35)


def test_blip_vqa_wants_the_file_of_the_paper():
    # BLIPvqa_eval/configs/vqa.yaml @ 7710d059: pretrained, vit base, image_size 480
    for name in ("blip-vqa", "compbench-3-in-1"):
        engine = part_of(name)
        assert (engine["checkpoint"], engine["size"], engine["first_token"]) == ("", 480, "enc")
    assert "not the paper’s" in catalogue.entry("blip-vqa-transformers").title


def test_dsg_asks_a_chat_model_as_its_code_asks_gpt_4o():
    subject = Subject(PROMPT, (Atom(0, "attribute", "red", "Is the cup red?", "yes"),))
    (want,) = Dsg(**catalogue.entry("dsg-server").options).wants(subject, KnownAnswers())
    assert want == Talk((DSG,), max_tokens=20)


@pytest.mark.parametrize(
    ("category", "turns"),
    [
        ("complex", COMPLEX),
        ("spatial", SPATIAL),
        ("non_spatial", NON_SPATIAL),
        ("color", COLOR),
    ],
)
def test_the_chain_of_thought_is_that_of_the_scripts(category, turns):
    subject = Subject(PROMPT, metadata={"category": category})
    (want,) = ChainOfThought(**catalogue.entry("chain-of-thought-server").options).wants(
        subject, KnownAnswers()
    )
    assert want.turns == turns
    assert (want.max_tokens, want.temperature) == (300, 0.7 if category == "color" else 1.0)


def test_depth_is_read_at_the_scripts_size():
    # UniDet_eval/experts/model_bank_3d.py @ ed5367e2: Resize([480, 480]), Normalize(mean=0.5, std=0.5)
    for name in ("compbench-3d", "compbench-3d-grounding-dino"):
        assert part_of(name, "depth")["reading"] == "compbench"


def test_genevals_open_vocabulary_detector_counts_a_thing_once():
    assert catalogue.entry("geneval-owlv2").options["max_overlap"] == 0.5


def test_genevals_numbers_and_templates_are_those_of_its_script():
    # evaluation/evaluate_images.py @ 16f16811: THRESHOLD …, ImageCrops, color_classification; compute_iou
    # is asked only where max_overlap is not 1.
    told = registry.declared_options("geneval")
    numbers = (
        "threshold",
        "counting_threshold",
        "max_objects",
        "max_overlap",
        "position_threshold",
    )
    assert [told[name].default for name in numbers] == [0.3, 0.9, 16, 1.0, 0.1]
    assert (told["background"].default, told["crop"].default) == ("#999", True)
    assert list(told["templates"].default) == [
        "a photo of a {color} {noun}",
        "a photo of a {color}-colored {noun}",
        "a photo of a {color} object",
    ]
    colors = part_of("geneval", "colors")
    # Its ViT-L-14 “openai”; clip_benchmark 1.4 (environment.yml) computes under autocast unless it is
    # told otherwise (zeroshot_classification.py @ b4b6a33c, amp=True), which is an option here.
    assert (colors["model"], colors["checkpoint"], colors["half_colors"]) == (
        "ViT-L-14",
        "openai",
        False,
    )


@pytest.mark.parametrize("what", PARITY)
def test_what_is_said_to_be_held_is_held_by_a_test_and_what_differs_has_a_row(what):
    tests, row = PARITY[what]
    for test in tests:
        file, _, name = test.partition("::")
        assert f"\ndef {name}(" in (ROOT / file).read_text(), test
    differs = (
        (ROOT / "docs/judge-differences.md")
        .read_text()
        .partition("## Where a judge still differs")[2]
    )
    assert f"\n| {row}" in differs.partition("\n## ")[0]

"""The questions that T2I-CompBench's scripts put to MiniGPT-4, to the letter.

mGPT_cot_attribute.py asks about one noun phrase after the other in the same conversation; only the
first question holds the criteria, and no blank stands before “Give”. An adjective is what is left of
the phrase without its last noun and without "the ", "a " and "an ", wherever they stand: of "a
banana cake", "banan" is left. mGPT_cot_general.py asks once about the whole prompt.
"""

from __future__ import annotations

from collections.abc import Sequence

from jurybox_judging.noun_phrases import Phrase

_JSON = "Provide your analysis and explanation in JSON format with the following keys: score (e.g., 85),"
_PORTRAYED = (
    "According to the image and your previous answer, evaluate if the text "
    '"{prompt}" is correctly portrayed in the image.'
)
_CRITERIA = " Give a score from 0 to 100, according the criteria:"
_END = f"\n {_JSON} explanation (within 20 words)."
GENERAL = {
    "spatial": (
        "You are my assistant to identify objects and their spatial layout in the image. "
        "Briefly describe the image within 50 words.",
        f"{_PORTRAYED}{_CRITERIA}"
        "\n 100: correct spatial layout in the image for all objects mentioned in the text"
        "\n 80: basically, spatial layout of objects matches the text"
        "\n 60: spatial layout not aligned properly with the text"
        "\n 40: image not aligned properly with the text"
        f"\n 20: image almost irrelevant to the text{_END}",
    ),
    "non_spatial": (
        "You are my assistant to identify the actions, events, objects and their relationships in "
        "the image. Briefly describe the image within 50 words.",
        f"{_PORTRAYED}{_CRITERIA}"
        "\n 100: the image accurately portrayed the actions, events and relationships between "
        "objects described in the text."
        "\n 80: the image portrayed most of the actions, events and relationships but with minor "
        "discrepancies."
        "\n 60: the image depicted some elements, but action relationships between objects are not "
        "correct."
        "\n 40: the image failed to convey the full scope of the text."
        f"\n 20: the image did not depict any actions or events that match the text.{_END}",
    ),
    "complex": (
        "You are my assistant to evaluate the correspondence of the image to a given text prompt. "
        "Briefly describe the image within 50 words, focus on the objects in the image and their "
        "attributes (such as color, shape, texture), spatial layout and action relationships.",
        "According to the image and your previous answer, evaluate how well the image aligns with "
        f'the text prompt: "{{prompt}}".{_CRITERIA}'
        "\n 100: the image perfectly matches the content of the text prompt, with no discrepancies."
        "\n 80: the image portrayed most of the actions, events and relationships but with minor "
        "discrepancies."
        "\n 60: the image depicted some elements in the text prompt, but ignored some key parts or "
        "details."
        "\n 40: the image did not depict any actions or events that match the text."
        f"\n 20: the image failed to convey the full scope in the text prompt.{_END}",
    ),
}


def about_the_prompt(category: str, prompt: str) -> tuple[str, ...]:
    describe, predict = GENERAL[category]
    return describe, predict.replace("{prompt}", prompt)


def about_phrases(kind: str, phrases: Sequence[Phrase]) -> tuple[str, ...]:
    describe = (
        f"You are my assistant to identify any objects and their {kind} in the image. "
        "Briefly describe what it is in the image within 50 words"
    )
    first, *others = phrases
    return describe, _first(first), *(_next(phrase.text) for phrase in others)


def _first(phrase: Phrase) -> str:
    noun = phrase.nouns[-1]
    adjective = phrase.text.replace(f" {noun}", "")
    for article in ("the ", "a ", "an "):
        adjective = adjective.replace(article, "")
    return (
        f"According to the image and your previous answer, evaluate if there is {phrase.text} in "
        "the image?Give a score from 0 to 100, according the criteria:"
        f"\n 100: there is {noun}, and {noun} is {adjective}."
        f"\n 75: there is {noun}, {noun} is mostly {adjective}."
        f"\n 20: there is {noun}, but it is not {adjective}."
        f"\n 10: no {noun} in the image."
        f"\n {_JSON} explanation (within 20 words). "
    )


def _next(text: str) -> str:
    return (
        f"Please evaluate if there is {text} in the image according to the same criteria. "
        f"{_JSON} explanation (within 20 words)"
    )

"""The six rating scales of T2I-CompBench (appendix, figures 4 to 9), one for each category.

One form holds them all and takes the words from the prompt's tag; a study of one category can
have its form alone.
"""

from __future__ import annotations

from jurybox_formats.forms.definition import Choice, Form, Question, Wording

SOURCE = "T2I-CompBench, appendix, figures 4 to 9"
WORDS = ("Perfect", "Good", "Not okay", "Bad", "Poor")
BETWEEN = "between the Image and Text Prompt:"
ATTRIBUTES = (
    "all/both objects match their attributes in the text prompt",
    "basic level of alignment",
    "merely aligned with the text prompt",
    "not aligned properly with the text prompt",
    "almost irrelevant to the text prompt",
)
# category -> its head, and what 5, 4, 3, 2 and 1 mean
CATEGORIES = {
    "color": (f"Rate the matching degree of objects' color attributes {BETWEEN}", ATTRIBUTES),
    "shape": (f"Rate the matching degree of objects' shape attributes {BETWEEN}", ATTRIBUTES),
    "texture": (f"Rate the matching degree of objects' texture attributes {BETWEEN}", ATTRIBUTES),
    "spatial": (
        f"Rate the matching degree of objects' spatial layout {BETWEEN}",
        (
            "correct spatial layout",
            "basically correct spatial layout",
            "spatial layout not aligned properly with the text",
            "image not aligned properly with the text",
            "image almost irrelevant to the text prompt",
        ),
    ),
    "non-spatial": (
        f"Rate the matching degree of objects' relationship {BETWEEN}",
        (
            "accurate alignment",
            "basic level of alignment",
            "action relationship not correct.",
            "image not aligned properly with the text",
            "image almost irrelevant to the text",
        ),
    ),
    "complex": (
        "Rate the overall alignment of Image and Text Prompt:",
        (
            "accurate alignment",
            "basic level of alignment",
            "ignored key parts",
            "image not aligned properly with the text",
            "image almost irrelevant to the text",
        ),
    ),
}


def _scale(sentences: tuple[str, ...]) -> tuple[Choice, ...]:
    return tuple(
        Choice(value, f"{word}: {sentence}")
        for value, word, sentence in zip((5, 4, 3, 2, 1), WORDS, sentences, strict=True)
    )


def _question(category: str, wordings: tuple[Wording, ...] = ()) -> Question:
    head, sentences = CATEGORIES[category]
    return Question("likert", head, _scale(sentences), wordings=wordings)


FORM = Form(
    slug="t2i-compbench",
    title="Compositional alignment",
    source=SOURCE,
    # A prompt that says no category is rated as a whole, as the complex ones are.
    questions=(
        _question(
            "complex",
            tuple(
                Wording((category,), head, _scale(sentences))
                for category, (head, sentences) in CATEGORIES.items()
            ),
        ),
    ),
)

CATEGORY_FORMS = tuple(
    Form(
        slug=f"t2i-compbench-{category}",
        title=f"Compositional alignment: {category}",
        source=SOURCE,
        questions=(_question(category),),
    )
    for category in CATEGORIES
)
FORMS = (FORM, *CATEGORY_FORMS)
ORDER = 50

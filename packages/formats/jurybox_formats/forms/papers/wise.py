"""WISE's three grades, 0 to 2, and the question of its verified edition: right or wrong."""

from jurybox_formats.forms.definition import YES_NO, Choice, Form, Question


def _grades(worst: str, middle: str, best: str) -> tuple[Choice, ...]:
    return Choice(0, worst), Choice(1, middle), Choice(2, best)


FORM = Form(
    slug="wise",
    title="What the prompt means, in three grades",
    source="WISE: consistency, realism, aesthetic quality; verified edition: right or wrong",
    introduction=(
        "The prompt says what it wants without naming it. Think of what it means first, then look at "
        "the image. The highest grade is for what has no flaw."
    ),
    questions=(
        Question("correct", "Does the image show what the prompt means?", YES_NO),
        Question(
            "consistency",
            "How completely does the image show what the prompt means?",
            _grades("Not, or the contrary", "In part", "In every detail"),
        ),
        Question(
            "realism",
            "How real does the image look?",
            _grades("Clearly artificial", "With small flaws", "Like a photograph"),
        ),
        Question(
            "aesthetic_quality",
            "How good does the image look?",
            _grades("Unappealing", "Acceptable", "Outstanding"),
        ),
    ),
)
FORMS = (FORM,)
ORDER = 80

"""The five sentences of GenAI-Bench; M3T2IBench asks its raters the same."""

from jurybox_formats.forms.definition import Choice, Form, Question

FORM = Form(
    slug="genai-likert",
    title="How well it matches",
    source="GenAI-Bench, human evaluation; M3T2IBench reuses it",
    questions=(
        Question(
            "likert",
            "How well does the image (or video) match the description?",
            (
                Choice(1, "Does not match at all."),
                Choice(2, "Has significant discrepancies."),
                Choice(3, "Has several minor discrepancies."),
                Choice(4, "Has a few minor discrepancies."),
                Choice(5, "Matches exactly."),
            ),
        ),
    ),
)
FORMS = (FORM,)
ORDER = 40

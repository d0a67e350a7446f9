"""What LongText, CVTG and OneIG measure by reading: whether the text is in the picture, word for word."""

from jurybox_formats.forms.definition import YES_NO, Choice, Form, Question

FORM = Form(
    slug="written-text",
    title="Text in the image",
    source="LongText, CVTG, OneIG: the text that the prompt asks for",
    introduction=(
        "The prompt asks for text in the image, mostly in quotation marks. Compare it with what is "
        "written, letter by letter."
    ),
    questions=(
        Question("text_whole", "Is every word of the text there and spelled right?", YES_NO),
        Question(
            "text_share",
            "How much of the text is there and spelled right?",
            (
                Choice(0, "Nothing"),
                Choice(0.25, "About a quarter"),
                Choice(0.5, "About half"),
                Choice(0.75, "About three quarters"),
                Choice(1, "All of it"),
            ),
        ),
    ),
)
FORMS = (FORM,)
ORDER = 70

"""Yes or no to each question of a prompt: what judges of T2I-CoReBench, UniGenBench, DPG-Bench, OneIG and
TIIF are put. The words are ours; the questions are the set's."""

from jurybox_formats.forms.definition import YES_NO, Form, Question

FORM = Form(
    slug="checklist",
    title="Checklist: yes or no to each question",
    source="T2I-CoReBench, UniGenBench, DPG-Bench, OneIG, TIIF: the questions of the set",
    introduction=(
        "Answer each question by what the image shows. Say yes only where it can be seen clearly; "
        "what is hidden, unclear or only likely is a no."
    ),
    questions=(Question("atom", "Does the image show this?", YES_NO, per="atom"),),
)
FORMS = (FORM,)
ORDER = 60

"""What a new study may begin with besides files: the questions and settings that a kind of study usually has.

A template is a form that there is, settings, and judges of the catalogue to think of: after that the study is one
like any other. A study of one's own serves as a template through its copy without images.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from annotations import event_log
from annotations.models import Study
from annotations.pairs import draws
from annotations.studies import settings


@dataclass(frozen=True, slots=True)
class Template:
    title: Promise
    form: str
    judges: tuple[str, ...]
    people: int = 3
    # Of a hundred images; 0 where no answer is simply right.
    gold_share: int = 0
    compares_pairs: bool = False


TEMPLATES = {
    "geneval": Template(
        gettext_lazy("GenEval: yes or no about each image"),
        "geneval-audit",
        ("geneval", "geneval-transformers"),
        gold_share=5,
    ),
    "soft-tifa": Template(
        gettext_lazy("Soft-TIFA: each part of the prompt"),
        "geneval2-atoms",
        ("soft-tifa-gm-qwen3-vl", "soft-tifa-am-qwen3-vl"),
        gold_share=5,
    ),
    "vqa-score": Template(
        gettext_lazy("VQAScore: a rating from 1 to 5"), "genai-likert", ("vqa-score",)
    ),
    "pairs": Template(
        gettext_lazy("Pairs: which of two images"),
        "geneval-audit",
        ("pick-score", "hps-v3"),
        compares_pairs=True,
    ),
    "edits": Template(
        gettext_lazy("Edits: did it, kept the rest, looks right"),
        "edit",
        ("edit-did-qwen3-vl", "edit-kept-qwen3-vl", "edit-looks-right-qwen3-vl"),
        gold_share=5,
    ),
}


@transaction.atomic
def apply_settings(*, study: Study, name: str) -> None:
    """`name`: of a template; the study has its form already."""
    template = TEMPLATES[name]
    settings.set_overlap(study=study, people=template.people)
    if template.gold_share:
        settings.set_gold_share(study=study, share=template.gold_share)
    if template.compares_pairs:
        draws.plan(study, overlap=template.people)
    event_log.note(study, "template", f"began this study from the template {name}")

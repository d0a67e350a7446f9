"""Questions and instructions as HTML. What is the same for many images is rendered once."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

from annotations.forms.definition import Form
from annotations.forms.display import Block, Shown
from annotations.forms.versions import ByDigest
from annotations.models import FormVersion


def questions_html(blocks: Iterable[Block], prompt: str) -> SafeString:
    return mark_safe("".join(_block(block, prompt) for block in blocks))  # noqa: S308


def instructions_html(version: FormVersion, addresses: dict[str, str]) -> SafeString:
    """What stands beside the form; `addresses`: key -> public address of its examples' images."""
    if addresses:
        return _instructions(ByDigest(version).form, addresses)
    return _without_pictures(ByDigest(version))


def _block(block: Block, prompt: str) -> str:
    if block.question:
        return _question(block.question, prompt if block.question.with_prompt else "")
    parts = [(part.text, _atom(part.atom) if part.atom else "") for part in block.parts]
    return render_to_string("annotations/label_parts.html", {"block": block, "parts": parts})


@lru_cache(maxsize=2048)
def _question(question: Shown, prompt: str) -> str:
    context = {"question": question, "prompt": prompt}
    return render_to_string("annotations/label_question.html", context)


@lru_cache(maxsize=8192)
def _atom(atom: Shown) -> SafeString:
    return render_to_string("annotations/label_atom.html", {"atom": atom})


@lru_cache(maxsize=64)
def _without_pictures(one: ByDigest) -> SafeString:
    return _instructions(one.form, {})


def _instructions(form: Form, addresses: dict[str, str]) -> SafeString:
    def told(examples):
        return [(one, addresses.get(one.image)) for one in examples]

    context = {
        "form": form,
        "examples": told(form.examples),
        "edge_cases": told(form.edge_cases),
    }
    html = render_to_string("annotations/label_instructions.html", context)
    return mark_safe(html.strip())  # noqa: S308

"""Questions and instructions as HTML. Parts that many images share are cached."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import lru_cache, wraps
from typing import Any

from django.contrib.staticfiles import finders
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from annotations.forms.display import Block, ShownQuestion, blocks, numbering
from annotations.forms.versions import ByDigest, questions_for_all, shown_language
from annotations.models import FormVersion
from jurybox_formats.forms.definition import DRAWN, OWN, Example, Form
from jurybox_formats.forms.per_image import AskedQuestion
from jurybox_formats.forms.translations import translate_instructions


def keep_by_language(maxsize: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Like `lru_cache`, for what has words of the page in it."""

    def decorate(make: Callable[..., Any]) -> Callable[..., Any]:
        @lru_cache(maxsize=maxsize)
        def make_in(language: str | None, *given: Hashable) -> Any:
            return make(*given)

        @wraps(make)
        def look_up(*given: Hashable) -> Any:
            return make_in(get_language(), *given)

        return look_up

    return decorate


def form_html(
    version: FormVersion,
    questions: tuple[AskedQuestion, ...],
    prompt: str,
    answers: Mapping[str, float | str],
) -> SafeString:
    """`questions`: what the form asks about an image of this prompt; `answers`: given so far."""
    same = questions_for_all(version, shown_language(version))
    if not answers and questions is same and not _shows_prompt(questions):
        return _empty_form(ByDigest(version))
    return _form(ByDigest(version), questions, prompt, answers)


def _form(
    key: ByDigest,
    questions: tuple[AskedQuestion, ...],
    prompt: str,
    answers: Mapping[str, float | str],
) -> SafeString:
    return questions_html(blocks(prompt, questions, answers, numbering(key.form)), prompt)


def _shows_prompt(questions: Iterable[AskedQuestion]) -> bool:
    return any(asked.question.with_prompt for asked in questions)


@keep_by_language(maxsize=256)
def _empty_form(key: ByDigest) -> SafeString:
    """The same for every image."""
    questions = questions_for_all(key.version, shown_language(key.version))
    return _form(key, questions or (), "", {})


def questions_html(blocks: Iterable[Block], prompt: str) -> SafeString:
    return mark_safe("".join(_block(block, prompt) for block in blocks))  # noqa: S308


def instructions_html(version: FormVersion, addresses: dict[str, str]) -> SafeString:
    """The instructions beside the form. `addresses`: what its examples name -> public id."""
    if addresses:
        return instructions_of(_in_shown_language(ByDigest(version)), addresses)
    return _without_pictures(ByDigest(version))


def _in_shown_language(key: ByDigest) -> Form:
    return translate_instructions(key.form, shown_language(key.version))


def pictures_html(pictures: Iterable[Hashable]) -> SafeString:
    """What stands beside the image to be judged; empty for most."""
    return _pictures(tuple(pictures)) if pictures else SafeString()


@keep_by_language(maxsize=2048)
def _pictures(pictures: tuple[Hashable, ...]) -> SafeString:
    """Everybody sees the pictures of a prompt once for each of its images."""
    return render_to_string("annotations/label_pictures.html", {"pictures": pictures})


def _block(block: Block, prompt: str) -> str:
    if block.question:
        return _question(block.question, prompt if block.question.with_prompt else "")
    parts = [(part.text, _atom(part.atom) if part.atom else "") for part in block.parts]
    return render_to_string("annotations/label_parts.html", {"block": block, "parts": parts})


@keep_by_language(maxsize=2048)
def _question(question: ShownQuestion, prompt: str) -> str:
    context = {"question": question, "prompt": prompt}
    return render_to_string("annotations/label_question.html", context)


@keep_by_language(maxsize=8192)
def _atom(atom: ShownQuestion) -> SafeString:
    return render_to_string("annotations/label_atom.html", {"atom": atom})


@keep_by_language(maxsize=64)
def _without_pictures(key: ByDigest) -> SafeString:
    return instructions_of(_in_shown_language(key), {})


def instructions_of(form: Form, addresses: dict[str, str]) -> SafeString:
    def with_images(examples: Iterable[Example]) -> list[tuple[Example, str]]:
        return [(example, address_of(example.image, addresses)) for example in examples]

    context = {
        "form": form,
        "examples": with_images(form.examples),
        "edge_cases": with_images(form.edge_cases),
    }
    html = render_to_string("annotations/label_instructions.html", context)
    return mark_safe(html.strip())  # noqa: S308


def address_of(image: str, addresses: dict[str, str]) -> str:
    """Where the picture is that an example names; empty if there is none."""
    if image.startswith(DRAWN):
        name = f"examples/{image.removeprefix(DRAWN)}.png"
        return static(name) if finders.find(name) else ""
    public_id = addresses.get(image)
    route = "example-picture" if image.startswith(OWN) else "image"
    return f"{reverse(route, args=[public_id])}?small" if public_id else ""

"""A form as an owner brings it, in lines or JSON: by page, command or API."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

from jurybox_formats.forms.definition import Form
from jurybox_formats.forms.papers import EARLIER, FORMS
from jurybox_formats.forms.text_format import parse
from jurybox_formats.forms.validate_definition import read_form
from jurybox_formats.sources.errors import FormRefused

LONGEST = 100_000


def written_form(text: str, *, own: Container[str] = ()) -> Form:
    """FormRefused, with a sentence for each mistake. `own`: as `read_form` takes it."""
    if len(text) > LONGEST:
        raise FormRefused([f"The form has {len(text)} characters; {LONGEST} are allowed."])
    form = read_form(parse(text), own=own)
    paper = FORMS.get(form.slug)
    # The words are the source's; a translation of them is another version of the same form.
    source = replace(form, translations=()).digest
    if paper and paper.digest != source and source not in EARLIER:
        # With other words it is no longer the paper's form, and must not have its name.
        return replace(form, slug=f"own-{form.slug}"[:80], source=f"after {form.source}")
    return form

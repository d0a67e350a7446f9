"""A small built-in bench without crescents: the built-in engine knows these open to one side only."""

from __future__ import annotations

from annotations.forms.versions import publish_form
from annotations.imports import write_study
from annotations.imports.outcome import Outcome
from annotations.models import Study
from jurybox_formats.forms.papers import geneval_audit
from jurybox_formats.sets.builtin import study as builtin
from jurybox_formats.sources.records import ImageRecord, PromptRecord

PLAIN = builtin.GENERATORS[0]


def bench(prompts: int = 40, *, without: str = "crescent", slug: str = "bench") -> Study:
    study = Study.objects.create(slug=slug, title="Bench", form=publish_form(geneval_audit.FORM))
    asked = [p for p in builtin.make_prompts(4 * prompts) if without not in p.text][:prompts]
    return fill(study, asked)


def fill(study: Study, asked: list[PromptRecord]) -> Study:
    outcome = Outcome()
    drawings = [(prompt.key, builtin.draw(prompt, PLAIN)) for prompt in asked]
    images = [ImageRecord(one.key, prompt, PLAIN.name, one.png) for prompt, one in drawings]
    records = [*asked, PLAIN.record, *images]
    write_study.import_records(study=study, records=records, outcome=outcome)
    assert outcome.rejected == []
    return study

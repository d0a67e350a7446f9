"""An answer as a section of a document: one of its own, or at the end of a report's."""

from __future__ import annotations

from dataclasses import replace

from annotations.models import Study
from audit.exhibits import Body, Chart, Exhibits, Table
from audit.handed_in.document import Document, Figure, Section
from audit.handed_in.figures import draw_figure


def document_of(exhibits: Exhibits, body: Body, study: Study, *, made: str) -> Document:
    alone = Document(
        title=exhibits.title,
        study=study.title,
        simulated=body["simulated"],
        made=made,
        asked=exhibits.title,
        findings=" ".join(exhibits.sentences(body)),
        sections=(),
        signature=tuple(
            (name, str(value))
            for name, value in body["signature"].items()
            if not isinstance(value, dict)
        ),
        signed=f"{exhibits.signed(body)[0]}.",
    )
    return with_section(alone, section_of(exhibits, body))


def section_of(exhibits: Exhibits, body: Body) -> Section:
    charts = [_figure(chart) for chart in exhibits.charts(body) if not chart.blank]
    tables = [
        replace(one.shorten(), title=f"{one.title}.") for one in exhibits.tables(body) if one.rows
    ]
    words = (*exhibits.sentences(body), *exhibits.describe_method(body), *exhibits.signed(body))
    return Section(exhibits.title, paragraphs=words, blocks=(*charts, *tables))


def with_section(before: Document, section: Section) -> Document:
    """Figures and tables go on counting."""
    figures, tables = len(before.figures), len(before.tables)
    blocks: list[Table | Figure] = []
    for block in section.blocks:
        if isinstance(block, Figure):
            figures += 1
            blocks.append(replace(block, number=figures))
        else:
            tables += 1
            blocks.append(replace(block, number=tables))
    return replace(before, sections=(*before.sections, replace(section, blocks=tuple(blocks))))


def _figure(chart: Chart) -> Figure:
    svg, width = draw_figure(chart.draw("light"))
    return Figure(f"{chart.title}.", chart.title, svg, width)

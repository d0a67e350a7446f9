"""The document as LaTeX, to be put into a paper: figures as PDF beside it, tables with booktabs, a value with
its interval, a short signature in each caption and the whole one at the end.

It is a file that compiles by itself, also without its figures; `latex_cjk.py` has what Chinese letters need.
"""

from __future__ import annotations

import io
import zipfile

from audit.charts.on_paper import COLUMNS, set_svg
from audit.exhibits import Table
from audit.handed_in.cells import printed_rows
from audit.handed_in.document import Document, Figure
from audit.handed_in.latex_cjk import COMMENT, cjk_letters, is_cjk, write_head
from audit.handed_in.standing_words import SIMULATED
from audit.words.numbers import Cell

# What people typed must not become a command.
SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "−": r"\ensuremath{-}",
    "±": r"\ensuremath{\pm}",
    "≤": r"\ensuremath{\le}",
    "≥": r"\ensuremath{\ge}",
    "κ": r"\ensuremath{\kappa}",
    "τ": r"\ensuremath{\tau}",
    "ρ": r"\ensuremath{\rho}",
    "α": r"\ensuremath{\alpha}",
    "ε": r"\ensuremath{\varepsilon}",
    "·": r"\textperiodcentered{}",
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "‘": "`",
    "’": "'",
    "“": "``",
    "”": "''",
}
HEAD = r"""\documentclass[10pt,a4paper]{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
"""
PACKAGES = r"""\usepackage{booktabs}
\usepackage{graphicx}
\usepackage[margin=20mm]{geometry}
% A value on the line of its row, and its interval below it.
\newcommand{\within}[2]{\begin{tabular}[t]{@{}c@{}}#1\\[-2pt]{\scriptsize #2}\end{tabular}}
\begin{document}
"""
# From so many columns on a table is made as wide as the page.
WIDE = 5


def as_latex(document: Document) -> str:
    told = [escaped(document.asked), escaped(document.findings)]
    if document.simulated:
        told.insert(0, escaped(SIMULATED))
    parts = [f"\\section*{{{escaped(document.title)}: {escaped(document.study)}}}\n"]
    parts += [f"{words}\n\n" for words in told]
    parts += [_figure(figure) for figure in document.figures]
    parts += [_table(table, document.short_signature) for table in document.tables]
    signed = f"\\par{{\\footnotesize {escaped(document.signed)}}}\n"
    body = "".join([*parts, signed])
    letters = cjk_letters(body)
    head = write_head(letters) if letters else HEAD
    return "".join([head, PACKAGES, body, "\\end{document}\n"])


def figure_files(document: Document) -> dict[str, bytes]:
    """To lie beside the file."""
    return {
        _name(figure): set_svg(figure.svg, [figure.alt, document.signed], "pdf", COLUMNS[-1])
        for figure in document.figures
    }


def as_zip(document: Document) -> bytes:
    """The file and its figures."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        files = {"report.tex": as_latex(document).encode(), **figure_files(document)}
        for name, content in files.items():
            # A moment of the clock would make every file another one.
            packed.writestr(zipfile.ZipInfo(name), content)
    return out.getvalue()


def _name(figure: Figure) -> str:
    return f"figure-{figure.number}.pdf"


def _figure(figure: Figure) -> str:
    name = _name(figure)
    shown = f"\\includegraphics[width=\\linewidth]{{{name}}}"
    lines = [
        "\\begin{figure}[p]",
        "\\centering",
        f"\\IfFileExists{{{name}}}{{{shown}}}{{\\fbox{{{name}}}}}",
        f"\\caption{{{escaped(figure.caption)}}}",
        "\\end{figure}",
    ]
    return "\n".join([*lines, "", ""])


def escaped(text: str) -> str:
    """As letters; those of scripts that no package here sets stand as their number."""
    return "".join(SPECIAL.get(letter) or _letter(letter) for letter in text)


def _letter(letter: str) -> str:
    if letter.isprintable() and (ord(letter) < 0x180 or is_cjk(letter)):
        return letter
    return " " if letter.isspace() else f"[U+{ord(letter):04X}]"


def _table(table: Table, signed: str) -> str:
    columns = "l" + "c" * len(table.columns)
    heads = " & ".join(escaped(text) for text in (table.first, *(c.heading for c in table.columns)))
    under = [column.under for column in table.columns]
    rows, notes = printed_rows(table)
    lines = [
        "\\begin{table}[p]",
        "\\centering\\small",
        f"\\caption{{{escaped(table.title)} {{\\footnotesize {escaped(signed)}}}}}",
        *(["\\resizebox{\\linewidth}{!}{%"] if len(table.columns) >= WIDE else []),
        f"\\begin{{tabular}}{{{columns}}}",
        "\\toprule",
        f"{heads} \\\\",
        *([" & ".join(["", *map(escaped, under)]) + " \\\\"] if any(under) else []),
        "\\midrule",
    ]
    for row, shown in rows:
        if row.apart:
            lines.append("\\midrule")
        cells = " & ".join([escaped(row.label), *map(_cell, shown)])
        lines.append(f"{cells} \\\\")
    lines += [
        "\\bottomrule",
        "\\end{tabular}" + ("}" if len(table.columns) >= WIDE else ""),
    ]
    if notes:
        written_notes = " ".join(
            (f"\\textsuperscript{{{mark}}}" if mark else "") + escaped(words)
            for mark, words in notes
        )
        lines += ["", f"\\vspace{{2pt}}{{\\footnotesize {written_notes}\\par}}"]
    written = "\n".join([*lines, "\\end{table}", "", ""])
    return f"{COMMENT}\n{written}" if cjk_letters(written) else written


def _cell(cell: Cell) -> str:
    text = escaped(cell.value)
    if cell.bold:
        text = f"\\textbf{{{text}}}"
    if cell.mark:
        text += f"\\textsuperscript{{{cell.mark}}}"
    return f"\\within{{{text}}}{{{escaped(cell.interval)}}}" if cell.interval else text

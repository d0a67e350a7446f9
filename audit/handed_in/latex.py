"""The document as LaTeX, to be put into a paper: figures as PDF beside it, tables with booktabs, a value with
its interval, a short signature in each caption and the whole one at the end.

It is a file that compiles by itself, also without its figures; `latex_cjk.py` has what Chinese letters need.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable
from string import Template

from audit.charts.on_paper import COLUMNS, set_svg
from audit.exhibits import Table
from audit.handed_in.cells import printed_rows
from audit.handed_in.document import SIMULATED, Document, Figure
from audit.words.numbers import Cell

RANGES = (
    (0x2E80, 0x2FDF),  # radicals
    (0x3001, 0x33FF),  # punctuation, kana, bopomofo, letters in circles
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xA960, 0xA97F),
    (0xAC00, 0xD7FF),  # hangul
    (0xF900, 0xFAFF),
    (0xFE30, 0xFE4F),
    (0xFF01, 0xFFEF),  # wide forms
    (0x20000, 0x3FFFF),
)
# pdfLaTeX has a font for each of the old sets of letters; Noto's fonts are named by the region.
FAMILIES = (
    ("gbsn", "gb2312", "SC", "collection-langchinese"),
    ("bsmi", "big5", "TC", "collection-langchinese"),
    ("min", "shift_jis", "JP", "collection-langjapanese"),
    ("mj", "euc_kr", "KR", "collection-langkorean"),
)
CJK_HEAD = Template(
    r"""% Chinese, Japanese and Korean letters stand as they are. XeLaTeX and LuaLaTeX set them with the package
% ctex, pdfLaTeX with CJKutf8 and its font ${family} (in TeX Live: collection-langcjk and, for ${region}, ${collection}).
% A table copied into another paper needs the same there.
\documentclass[10pt,a4paper]{article}
\usepackage{iftex}
\newcommand{\needs}[1]{\PackageWarningNoLine{report}{Install #1 for Chinese, Japanese and Korean letters}%
  \AtBeginDocument{\noindent\fbox{Letters are missing: install the LaTeX package #1.}\par}}
\ifPDFTeX
  \usepackage[T1]{fontenc}
  \usepackage[utf8]{inputenc}
${without_a_font}  \IfFileExists{CJKutf8.sty}{\usepackage{CJKutf8}%
    \AtBeginDocument{\begin{CJK}{UTF8}{${family}}}\AtEndDocument{\clearpage\end{CJK}}%
  }{\needs{CJKutf8}%
${as_numbers}  }
\else
  \IfFileExists{ctex.sty}{\usepackage[scheme=plain]{ctex}%
    \IfFontExistsTF{Noto Serif CJK ${region}}{\setCJKmainfont{Noto Serif CJK ${region}}}{}%
  }{\needs{ctex}}
\fi
"""
)
COMMENT = "% Needs ctex (XeLaTeX, LuaLaTeX) or CJKutf8 (pdfLaTeX): see the head of this file."


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


# Chinese, Japanese and Korean letters stand as they are, and the head of the file says what sets them.
# Without these packages the file still compiles: a letter stands as its number.
def is_cjk(letter: str) -> bool:
    return any(first <= ord(letter) <= last for first, last in RANGES)


def cjk_letters(text: str) -> list[str]:
    """Each once, in order."""
    return sorted(filter(is_cjk, set(text)))


def write_head(letters: Iterable[str]) -> str:
    """Up to the packages that every file loads."""
    letters = list(letters)
    family, charset, region, collection = max(
        FAMILIES, key=lambda one: len(_in_charset(letters, one[1]))
    )
    covered = _in_charset(letters, charset)
    return CJK_HEAD.substitute(
        family=family,
        region=region,
        collection=collection,
        without_a_font=_declare((one for one in letters if one not in covered), "  "),
        as_numbers=_declare(letters, "    "),
    )


def _in_charset(letters: Iterable[str], charset: str) -> set[str]:
    return {letter for letter in letters if letter.encode(charset, "ignore")}


def _declare(letters: Iterable[str], indent: str) -> str:
    """For pdfLaTeX, which stops at a letter that has no font."""
    numbers = [f"{ord(one):04X}" for one in letters]
    return "".join(f"{indent}\\DeclareUnicodeCharacter{{{n}}}{{[U+{n}]}}%\n" for n in numbers)

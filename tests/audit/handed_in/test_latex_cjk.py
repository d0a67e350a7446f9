"""Chinese, Japanese and Korean letters of a LaTeX file: as they are, with a head that says what sets them."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from audit.exhibits import Column, Row, Table
from audit.handed_in.document import Document, Section
from audit.handed_in.latex import COMMENT, as_latex, escaped

LATIN_HEAD = r"""\documentclass[10pt,a4paper]{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{booktabs}
\usepackage{graphicx}
\usepackage[margin=20mm]{geometry}
% A value on the line of its row, and its interval below it.
\newcommand{\within}[2]{\begin{tabular}[t]{@{}c@{}}#1\\[-2pt]{\scriptsize #2}\end{tabular}}
\begin{document}
\section*{Report: shapes é}
"""


def document(study: str, *, label: str = "clip", second: str = "vqa") -> Document:
    number = {"value": 0.71, "low": 0.65, "high": 0.77, "n": 60}
    columns = (Column("all", "all", decimals=2),)
    tables = tuple(
        Table(name, "AUROC.", "judge", columns, (Row(name, (number,)),)) for name in (label, second)
    )
    return Document(
        title="Report",
        study=study,
        simulated=False,
        made="2026-11-22",
        asked="Does it fit?",
        findings="One judge follows people.",
        sections=(Section("Tables", blocks=tables),),
        signature=(),
        signed="jurybox 0.2.0.",
    )


def test_a_file_of_latin_letters_asks_for_nothing_more():
    tex = as_latex(document("shapes é"))
    assert tex.startswith(LATIN_HEAD)
    assert "ctex" not in tex and "CJK" not in tex


def test_chinese_stands_as_it_is_and_the_head_has_a_way_for_each_program():
    tex = as_latex(document("图形_1，第二", label="生成器 & 50%"))
    assert r"\section*{Report: 图形\_1，第二}" in tex
    assert r"生成器 \& 50\% & \within{0.71}{0.65 to 0.77} \\" in tex
    head, _, body = tex.partition(r"\begin{document}" + "\n")
    for way in (
        r"\IfFileExists{CJKutf8.sty}{\usepackage{CJKutf8}%",
        r"\AtBeginDocument{\begin{CJK}{UTF8}{gbsn}}\AtEndDocument{\clearpage\end{CJK}}%",
        r"\IfFileExists{ctex.sty}{\usepackage[scheme=plain]{ctex}%",
        r"\IfFontExistsTF{Noto Serif CJK SC}{\setCJKmainfont{Noto Serif CJK SC}}{}%",
    ):
        assert way in head
    assert head.index(r"\ifPDFTeX") < head.index("CJKutf8.sty") < head.index("\n\\else\n")
    assert head.index("\n\\else\n") < head.index("ctex.sty") < head.index("\n\\fi\n")
    assert "[U+" not in body


def test_without_the_package_each_letter_has_a_number_and_the_page_says_what_to_install():
    head = as_latex(document("图形图", label="生，"))
    fallback = head.partition(r"}{\needs{CJKutf8}%")[2].partition("\n  }\n")[0]
    # 图 56FE, 形 5F62, 生 751F, the wide comma FF0C; each once, in order.
    assert re.findall(r"\\DeclareUnicodeCharacter{(\w+)}{\[U\+(\w+)\]}%", fallback) == [
        (number, number) for number in ("56FE", "5F62", "751F", "FF0C")
    ]
    assert r"install the LaTeX package #1." in head
    assert r"{\needs{ctex}}" in head


@pytest.mark.parametrize(
    ("text", "family", "region"),
    [
        ("图形", "gbsn", "SC"),
        ("圖形", "bsmi", "TC"),
        ("図形テスト", "min", "JP"),
        ("그림", "mj", "KR"),
    ],
)
def test_the_font_is_that_of_the_letters(text, family, region):
    tex = as_latex(document(text))
    assert f"{{UTF8}}{{{family}}}" in tex
    assert f"{{Noto Serif CJK {region}}}" in tex
    # Each letter is in that font, so none is a number where the package is there.
    assert "DeclareUnicodeCharacter" not in tex.partition(r"\IfFileExists{CJKutf8.sty}")[0]


def test_letters_of_another_script_than_the_font_s_are_numbers_in_pdflatex_alone():
    tex = as_latex(document("图形图片 그"))
    before = tex.partition(r"\IfFileExists{CJKutf8.sty}")[0]
    assert "{gbsn}" in tex
    assert re.findall(r"\\DeclareUnicodeCharacter{(\w+)}", before) == ["ADF8"]
    assert "图形图片 그}" in tex


def test_only_a_table_with_such_letters_says_what_it_needs():
    tex = as_latex(document("shapes", label="生成器"))
    assert tex.count(COMMENT) == 1
    assert tex.index(COMMENT) < tex.index(r"\begin{table}") < tex.index("生成器")


def test_letters_of_scripts_without_a_package_stay_numbers_and_dashes_are_dashes():
    assert escaped("ж 😀") == "[U+0436] [U+1F600]"
    assert escaped("a—b… ‘c’") == r"a---b\ldots{} `c'"
    assert escaped("\u3000图\u200b") == " 图[U+200B]"


@pytest.mark.parametrize("program", ["pdflatex", "xelatex", "lualatex"])
def test_it_compiles_where_there_is_a_tex(tmp_path, program):
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not here")
    (tmp_path / "report.tex").write_text(as_latex(document("图形 é", label="生成器")))
    ran = subprocess.run(
        [program, "-interaction=nonstopmode", "-halt-on-error", "report.tex"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stdout[-2000:]

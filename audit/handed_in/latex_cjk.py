"""Chinese, Japanese and Korean letters in LaTeX: they stand as they are, and the head of the file says what
sets them.

XeLaTeX and LuaLaTeX set them with ctex, pdfLaTeX with CJKutf8. Without these packages the file still
compiles: a letter stands as its number, and the first page says what to install.
"""

from __future__ import annotations

from collections.abc import Iterable
from string import Template

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
HEAD = Template(
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
    return HEAD.substitute(
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

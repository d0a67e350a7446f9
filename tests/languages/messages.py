"""Every sentence that is to be translated, read from templates, Python and scripts without xgettext.

`python -m tests.languages` brings the translations in `locale/` up to date with them, and writes each a
second time as the pages load it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.template import engines
from django.template.base import Template, Variable
from django.templatetags.i18n import BlockTranslateNode, TranslateNode

from audit.languages import words_in_script

ROOT = Path(__file__).resolve().parent.parent.parent
CALLS = {"gettext", "gettext_lazy", "gettext_noop", "ngettext", "ngettext_lazy"}
SCRIPTS = (
    *("base.js", "compare.js", "label-edit.js", "label-outbox.js", "label-page.js"),
    "practice-page.js",
)


class Message(NamedTuple):
    text: str
    plural: str = ""


def in_templates() -> Iterator[tuple[str, Message]]:
    for path in sorted((ROOT / "templates").rglob("*.html")):
        place = path.relative_to(ROOT).as_posix()
        shown = engines["django"].from_string(path.read_text(encoding="utf-8")).template
        for node in translating_nodes(shown):
            yield place, node


def translating_nodes(shown: Template) -> Iterator[Message]:
    for node in shown.nodelist.get_nodes_by_type(TranslateNode):
        variable = node.filter_expression.var
        if isinstance(variable, str):
            yield Message(variable)
        elif isinstance(variable, Variable) and variable.literal is not None:
            yield Message(str(variable.literal))
    for block in shown.nodelist.get_nodes_by_type(BlockTranslateNode):
        one, _ = block.render_token_list(block.singular)
        many, _ = block.render_token_list(block.plural) if block.plural else ("", [])
        yield Message(one.strip() if block.trimmed else one, many)


def in_python() -> Iterator[tuple[str, Message]]:
    for app in ("annotations", "judges", "audit"):
        for path in sorted((ROOT / app).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            if "gettext" not in text:
                continue
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") in CALLS:
                    texts = [a.value for a in node.args[:2] if isinstance(a, ast.Constant)]
                    if texts:
                        yield path.relative_to(ROOT).as_posix(), Message(*map(str, texts))


def in_scripts() -> Iterator[tuple[str, Message]]:
    for name in SCRIPTS:
        for one, many in words_in_script(name):
            yield f"static/{name}", Message(one, many)


def all_messages() -> dict[Message, list[str]]:
    found: dict[Message, list[str]] = {}
    for place, message in (*in_templates(), *in_python(), *in_scripts()):
        places = found.setdefault(message, [])
        if place not in places:
            places.append(place)
    return found


def file_of(language: str) -> Path:
    name = "zh_Hans" if language == "zh-hans" else language
    return ROOT / "locale" / name / "LC_MESSAGES" / "django.po"


def languages() -> list[str]:
    return [code for code, _ in settings.LANGUAGES if code != "en"]

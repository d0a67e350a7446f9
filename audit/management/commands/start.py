"""`manage.py start`: the files of a new question, judge, format or form, as CONTRIBUTING.md lists them."""

from __future__ import annotations

import keyword
import re
import subprocess
import sys
from collections.abc import Container
from pathlib import Path
from string import Template

from django.conf import settings
from django.core.management import CommandError

from annotations.management.command import PlainCommand
from jurybox_formats.forms.papers import FORMS
from jurybox_formats.registry import FORMATS
from jurybox_judging.recipes.names import METHODS

TEMPLATES = Path("tests/start")
KINDS = ("question", "judge", "format", "form")


class Command(PlainCommand):
    help = (
        "Write the files of a new question, judge, format or form: a small example to be changed."
    )

    def arguments(self, add) -> None:
        add("kind", "what it is", choices=KINDS)
        add("name", "letters, digits and “_”, as of a Python module")

    def handle(self, *, kind, name, **options) -> str:
        files = write_files(settings.BASE_DIR, kind, name)
        return "\n".join([*files, "Change the example; CONTRIBUTING.md says how it is tested."])


def write_files(root: Path, kind: str, name: str) -> list[str]:
    """Their paths from the root of the clone. Nothing is written where one of them exists."""
    templates = root / TEMPLATES / kind
    if not templates.is_dir():
        raise CommandError(f"There is no {TEMPLATES / kind} here: start works in a clone alone.")
    if not re.fullmatch(r"[a-z][a-z0-9_]*[a-z0-9]", name) or keyword.iskeyword(name):
        raise CommandError(
            f"“{name}” is no name for files: write small letters, digits and “_”, like sharp_edges."
        )
    written = {
        str(file.relative_to(templates)).replace("NAME", name).removesuffix("-tpl"): file
        for file in sorted(templates.rglob("*-tpl"))
    }
    if taken := next((path for path in written if (root / path).exists()), ""):
        raise CommandError(f"{taken} exists: choose another name for your {kind}.")
    words = {
        "name": name,
        "upper": name.upper(),
        "dashed": name.replace("_", "-"),
        "camel": name.title().replace("_", ""),
        "title": name.replace("_", " ").capitalize(),
    }
    if words["dashed"] in taken_names(kind) or name in taken_names(kind):
        raise CommandError(f"There is a {kind} “{name}” already: choose another name for yours.")
    for path, file in written.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        text = Template(file.read_text(encoding="utf-8")).substitute(words)
        (root / path).write_text(text, encoding="utf-8")
    # Lines end where the name's length makes them end.
    own = [str(root / path) for path in written if path.endswith(".py")]
    subprocess.run([sys.executable, "-m", "ruff", "format", "--quiet", *own], check=False)  # noqa: S603
    return list(written)


def taken_names(kind: str) -> Container[str]:
    """Names that stand in other files than those of their own."""
    taken: dict[str, Container[str]] = {"judge": METHODS, "format": FORMATS, "form": FORMS}
    return taken.get(kind, ())

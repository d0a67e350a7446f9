"""Every command with its options, from the parsers themselves."""

from __future__ import annotations

from argparse import SUPPRESS, Action

from django.core.management import get_commands, load_command_class

APPS = ("annotations", "judges", "audit")
# One that only does Django's own more safely is read about there.
DJANGOS = "django.core.management.commands."
# What Django adds to each command.
OF_DJANGO = {
    *("--help", "--version", "--verbosity", "--settings", "--pythonpath", "--traceback"),
    *("--no-color", "--force-color", "--skip-checks"),
}


def markdown() -> str:
    lines = [
        "# Commands",
        "",
        "Installed: `jurybox COMMAND …`; in a clone: `manage.py COMMAND …`.",
        "",
    ]
    for name, app in sorted(get_commands().items()):
        if app not in APPS:
            continue
        command = load_command_class(str(app), name)
        if any(base.__module__.startswith(DJANGOS) for base in type(command).__mro__):
            continue
        parser = command.create_parser("jurybox", name)
        lines += [f"## {name}", "", command.help or "", ""]
        rows = [row for row in map(_row, parser._actions) if row]
        if rows:
            lines += ["| | |", "|---|---|", *rows, ""]
        for action in parser._actions:
            for sub, inner in sorted(getattr(action, "_name_parser_map", {}).items()):
                rows = [row for row in map(_row, inner._actions) if row]
                lines += [f"### {name} … {sub}", ""]
                if rows:
                    lines += ["| | |", "|---|---|", *rows, ""]
    return "\n".join(lines)


def _row(action: Action) -> str:
    if OF_DJANGO & set(action.option_strings) or action.help == SUPPRESS:
        return ""
    if hasattr(action, "_name_parser_map"):
        return f"| `{'`, `'.join(sorted(action._name_parser_map))}` | one of these comes first |"
    value = str(action.metavar or action.dest.upper())
    shown = ", ".join(action.option_strings) or value
    if action.option_strings and action.nargs != 0:
        shown += f" {value}"
    words = [action.help or ""]
    if action.choices and not hasattr(action.choices, "start"):
        words.append("one of " + ", ".join(f"`{choice}`" for choice in action.choices))
    if action.default not in (None, SUPPRESS, "", False, []) and action.nargs != 0:
        words.append(f"otherwise `{action.default}`")
    text = "; ".join(word for word in words if word).replace("|", "\\|").replace("\n", " ")
    return f"| `{shown}` | {text} |"

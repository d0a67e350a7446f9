"""The page docs/judge-tables.md: every judge of the catalogue, what a recipe may name, and every option
of every method and engine, as they are declared."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from jurybox_judging.options import Option, declared
from jurybox_judging.recipes.entry import Entry
from jurybox_judging.recipes.measured_speed import NOT_YET, measured_speed
from jurybox_judging.recipes.names import ENGINES, METHODS, kinds_of, load
from jurybox_judging.recipes.published_weights import HUB, PUBLISHED


@dataclass(frozen=True, slots=True)
class AbsentModel:
    name: str
    whose: str
    why_not: str
    instead: str


ABSENT_MODELS = (
    AbsentModel(
        "mPLUG-large (`damo/mplug_visual-question-answering_coco_large_en`)",
        "DPG-Bench",
        "Neither transformers nor open_clip has its architecture; only ModelScope's own code loads its files.",
        "What DPG-Bench's script wrote with it comes in as scores (`import_study --format dpg`). `dpg-server` asks "
        "another model the same questions and zeroes as the script does.",
    ),
    AbsentModel(
        "UniDet",
        "T2I-CompBench",
        "No library here has its code.",
        "Its detections from a file; the same rules over other detectors (`compbench-2d`).",
    ),
    AbsentModel(
        "mPLUG-Owl2",
        "Q-Align",
        "No library here has its architecture.",
        "Its five level tokens read off another model (`quality-levels-qwen3-vl`).",
    ),
)


# What this many methods or engines take alike stands once.
ALIKE = 3
SHORT_METHODS = {name.path: short for short, name in METHODS.items()}
SHORT_ENGINES = {name.path: short for short, name in ENGINES.items()}
HEAD = """\
# Judges, engines and options

This page is made by `manage.py judges --markdown`. [The judges](judges.md) explains the words."""


def judge_page(entries: Mapping[str, Entry]) -> str:
    """Markdown; what names plug-ins of this installation is left out."""
    methods = {short: name.path for short, name in METHODS.items()}
    engines = {short: name.path for short, name in ENGINES.items()}
    lines = [
        HEAD,
        "\n## Every judge\n",
        "Seconds an image are those that somebody measured on published weights "
        "([Judges on published weights](real-weights.md)); “not yet” means that nobody has.\n",
        *_judge_rows(entries),
        "\n## Published weights\n",
        "What their pages tell, rounded. Memory is that of the weights alone; pictures and texts come on top. "
        "`JUDGE_MEMORY` says how much the machine has that runs them.\n",
        *_weight_rows(),
        "\n## Models that cannot be loaded\n",
        *_absent_rows(),
        "\n## Methods\n",
        *_method_rows(),
        "\n## Engines\n",
        *_engine_rows(),
        "\n## Every option\n",
        "Besides these, every judge takes `self_test`: before the first image every engine must get a "
        "drawing right (true).",
        "\n### Options of engines\n",
        *_option_rows(engines),
        "\n### Options of methods\n",
        *_option_rows(methods),
    ]
    return "\n".join(lines) + "\n"


def _judge_rows(entries: Mapping[str, Entry]) -> Iterator[str]:
    yield "| judge | title | method | engines | released | seconds an image |\n|---|---|---|---|---|---|"
    for name, entry in entries.items():
        engines = "; ".join(
            f"{kind}: {_engine(path, options)}" for kind, (path, options) in entry.parts.items()
        )
        date = entry.release_date or ""
        method = f"`{SHORT_METHODS[entry.method]}`"
        speed = "; ".join(one.in_words for one in measured_speed(entry)) or NOT_YET
        yield f"| `{name}` | {entry.title} | {method} | {engines} | {date} | {speed} |"


def _engine(path: str, options: Mapping[str, Any]) -> str:
    taken = declared(load(path))
    values = [
        options.get(name, taken[name].default if name in taken else "")
        for name in ("model", "checkpoint", "tokenizer")
    ]
    weights = ", ".join(f"`{value}`" for value in values if value)
    return f"`{SHORT_ENGINES[path]}`" + (f" ({weights})" if weights else "")


def _weight_rows() -> Iterator[str]:
    yield (
        "| weights | parameters, thousand millions | download, GB | memory at bfloat16, GB | at int8, GB "
        "| licence |"
    )
    yield "|---|---|---|---|---|---|"
    for name, one in PUBLISHED.items():
        known = f"[{name}]({HUB}/{one.repository})" if one.repository else f"the file of `{name}`"
        half, eighth = (f"{one.memory_gb(kind):.2g}" for kind in ("bfloat16", "int8"))
        licence = one.licence or "none stated"
        yield f"| {known} | {one.parameters:g} | {one.download_gb:g} | {half} | {eighth} | {licence} |"


def _absent_rows() -> Iterator[str]:
    yield "| model | whose | why not | instead |\n|---|---|---|---|"
    for one in ABSENT_MODELS:
        yield f"| {one.name} | {one.whose} | {one.why_not} | {one.instead} |"


def _method_rows() -> Iterator[str]:
    yield "| method | asks for |\n|---|---|"
    for name, method in METHODS.items():
        more = "".join(f", also `{part}`" for part in method.more)
        instead = "".join(
            f'; with `{option} = "{value}"` for `{part}`'
            for (option, value), part in method.instead.items()
        )
        yield f"| `{name}` | {', '.join(f'`{p}`' for p in method.parts)}{more}{instead} |"


def _engine_rows() -> Iterator[str]:
    yield "| engine | answers | needs |\n|---|---|---|"
    for name, engine in ENGINES.items():
        kinds = ", ".join(f"`{kind}`" for kind in kinds_of(load(engine.path)))
        yield f"| `{name}` | {kinds} | {', '.join(engine.needs)} |"


def _option_rows(paths: Mapping[str, str]) -> Iterator[str]:
    """One table of what several take alike, and one for each with the rest."""
    takers: dict[tuple[str, str, str], dict[str, Option]] = defaultdict(dict)
    for short, path in paths.items():
        for name, option in declared(load(path)).items():
            takers[name, _requirement(option), option.help][short] = option
    yield "| option of several | default | it is | |\n|---|---|---|---|"
    for (name, wanted, words), options in takers.items():
        if len(options) >= ALIKE:
            yield f"| `{name}` | {_defaults(options)} | {wanted} | {words} |"
    for short in paths:
        own = {
            key: options[short]
            for key, options in takers.items()
            if short in options and len(options) < ALIKE
        }
        if own:
            yield f"\n**{short}**\n\n| option | default | it is | |\n|---|---|---|---|"
        for (name, wanted, words), option in own.items():
            yield f"| `{name}` | {_default(option)} | {wanted} | {words} |"


def _defaults(options: Mapping[str, Option]) -> str:
    """The default of each, the commonest without names."""
    names: dict[str, list[str]] = defaultdict(list)
    for short, option in options.items():
        names[_default(option)].append(short)
    ordered = sorted(names, key=lambda default: -len(names[default]))
    first = ordered[0] or "none"
    rest = [f"{default or 'none'} ({', '.join(names[default])})" for default in ordered[1:]]
    return "; ".join([first, *rest])


def _default(option: Option) -> str:
    shown = option.shown_default
    if option.kind == "texts" and option.default is not None:
        shown = ", ".join(option.default)
    shown = shown.replace("\n", " ").replace("|", "\\|")
    return f"`{shown}`" if shown not in ("", "null") else ""


def _requirement(option: Option) -> str:
    words = option.requirement
    if option.takes_plugins:
        words = f"one of {', '.join(option.own_choices)}, or a plug-in"
    return words.replace("|", "\\|")

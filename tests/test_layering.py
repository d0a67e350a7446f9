"""Imports go one way: between the apps, between the folders of an app, and never into frameworks
where plain values are enough."""

import ast
import sys
import tomllib
from collections import Counter
from functools import cache
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = {folder.name: folder for folder in ROOT.glob("packages/*/jurybox_*")}
APPS = {app: ROOT / app for app in ("annotations", "judges", "audit", "jurybox")} | PACKAGES
TORCH = {"torch", "torchvision", "transformers", "open_clip", "mmdet", "mmengine", "mmcv", "timm"}
TORCH |= {"diffusers", "peft", "accelerate"}
FRAMEWORK = {"django", "rest_framework", "celery"}
# folder -> what its files may not import
FORBIDDEN = {
    "annotations": {"judges", "audit", "jurybox", "jurybox_judging", "jurybox_stats", *TORCH},
    "judges": {"audit", "jurybox", "jurybox_stats", *TORCH},
    "packages/judging/jurybox_judging": TORCH,
    "packages/judging/jurybox_judging/methods": {"jurybox_formats"},
    "packages/judging/jurybox_judging/engines": {"jurybox_formats"},
    "audit": {"jurybox", *TORCH},
    "jurybox": {"annotations", "judges", *TORCH},
}
# Plain values without a framework, which a method may read: what people are asked, and where pictures stand.
PLAIN = {
    "jurybox_formats.sets.prompt_sets.word_counts",
    "jurybox_formats.forms.definition",
    "jurybox_formats.forms.papers.edits",
    "jurybox_formats.sources.records",
}
MAY_USE_TORCH = {"packages/judging/jurybox_judging/engines", "judges/generating"}
# Each app from the ground up: a folder, or a file that stands alone, imports from lower floors
# only. Folders on one floor do not know each other.
FLOORS = {
    "annotations": [
        {"bounded_numbers", "errors", "language", "names", "random_keys"},
        {
            *("consensus", "database", "models", "signals", "storage", "apps"),
        },
        {"event_log", "pictures", "file_names", "rates", "versions"},
        {"stored_answers"},
        {"access", "jobs"},
        {"admin", "exports", "forms", "middleware"},
        {"labelling", "traces"},
        {"copies"},
        {"anchors", "imports", "studies"},
        {"pairs"},
        {"api", "management", "pages"},
        {"urls"},
    ],
    "judges": [
        {"models", "signals"},
        {"installed", "names", "servers"},
        {"draft_questions", "exports", "generating"},
        {"host", "looks", "own_recipes"},
        {"parts", "runs"},
        {"lake"},
        {"anchors", "batches", "cards", "intake", "model_servers", "preferences", "self_checks"},
        {"tasks"},
        {"api", "apps", "management", "pages"},
    ],
    "audit": [
        {"log_context"},
        {
            *("models", "navigation", "papers", "celery", "settings", "installation/backups"),
            *("installation/formats", "installation/formats/de", "installation/formats/en"),
            *("installation/formats/zh_Hans", "installation/sqlite", "wsgi", "asgi"),
        },
        {"evidence", "accounts", "trackers"},
        {"statistic_names"},
        {"languages", "reference", "template_words", "view"},
        {"self_checks"},
        {"words"},
        {"charts", "reports"},
        {"exhibits"},
        {"handed_in", "images", "next_labels", "paper_tables", "people", "set_scores"},
        {"anchors", "contests", "repairs", "training", "why"},
        {"questions"},
        {"series"},
        {"answers", "cards", "demo", "test_judge", "webhooks"},
        {"cards/site", "tasks"},
        {"pages"},
        {"doors"},
        {"pages/one_question"},
        {"api", "installation"},
        {"installation/web_server", "installation/processes", "account_pages"},
        {"admin", "apps", "management", "urls"},
    ],
    "jurybox": [
        {"command", "connection", "facts", "rows"},
        {"charts", "client"},
        {"report", "agents", "check"},
        {"study"},
        {"__main__"},
    ],
    "jurybox_formats": [
        {"sources"},
        {"tools", "prompt_grammar"},
        {"forms"},
        {"forms/papers"},
        {"pair_files", "sets", "sets/builtin"},
        {"sets/edit_sets", "sets/prompt_sets"},
        {"sets/drawn_edits", "sets/signs"},
        {"files"},
    ],
    "jurybox_judging": [
        {"recipes", "methods/shared", "engines/shared"},
        {"engines/detection", "methods/rewards"},
        {"engines", "methods"},
        {"methods/compbench"},
        {"files"},
    ],
    "jurybox_stats": [
        {"counting"},
        {"resampling"},
        {"over_time"},
        {"sums"},
        {"instrument"},
        {"files"},
        {"cards", "contests", "decisions", "draws", "people"},
        {"measures"},
    ],
}
# The ground of a package: plain values that the folders below its files speak in, too.
GROUND = {"jurybox_stats/estimate", "jurybox_stats/series"}
GROUND |= {
    f"jurybox_judging/{name}"
    for name in (
        *("boxes", "errors", "host", "marks", "masks", "noun_phrases", "number_words", "options"),
    )
}
GROUND |= {"jurybox_judging/protocols", "jurybox_judging/text_similarity"}
IMPORTED_AS = {
    "pillow": "PIL",
    "jurybox-formats": "jurybox_formats",
    "open_clip_torch": "open_clip",
}
MOST = 20  # modules in a folder
# Folders of leaves, each found by its file: nobody reads them together.
LEAVES = {"commands", "methods", "engines", "benchmarks", "papers", "questions", "sets"}


@cache
def files() -> list[Path]:
    return [
        file
        for folder in APPS.values()
        for file in sorted(folder.rglob("*.py"))
        if "migrations" not in file.parts
    ]


def from_app(file: Path) -> Path:
    """As imports name it: a package's files begin with the package."""
    path = file.relative_to(ROOT)
    return Path(*path.parts[2:]) if path.parts[0] == "packages" else path


@cache
def modules() -> dict[str, Path]:
    names = {}
    for file in files():
        path = from_app(file).with_suffix("")
        names[".".join(path.parts).removesuffix(".__init__")] = file
    return names


@cache
def imported(file: Path) -> set[str]:
    """The modules that a file imports, as far down as their names tell."""
    known, names = modules(), set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                names.add(full if full in known else node.module or "")
    return names


def rules_for(file: Path) -> set[str]:
    folders = [p.as_posix() for p in file.relative_to(ROOT).parents]
    forbidden = set().union(*(FORBIDDEN[folder] for folder in folders if folder in FORBIDDEN))
    return forbidden - TORCH if MAY_USE_TORCH & set(folders) else forbidden


def plain_for(file: Path) -> set[str]:
    return PLAIN if (ROOT / "packages/judging/jurybox_judging/methods") in file.parents else set()


def room_of(file: Path) -> str:
    """The row of FLOORS that a file belongs to."""
    path = from_app(file).with_suffix("")
    app, *folders, name = path.parts
    if path.as_posix() in GROUND:
        return "ground"
    if app in PACKAGES and not folders and name != "__init__":
        return "files"
    if folders and folders[0] in ("management", "questions"):
        return folders[0]
    return "/".join(folders) if folders else name


def test_every_file_imports_in_the_one_direction():
    assert len(files()) > 250
    wrong = {
        f"{file.relative_to(ROOT)} imports {name}"
        for file in files()
        for name in {full.partition(".")[0] for full in imported(file) - plain_for(file)}
        & rules_for(file)
    }
    assert wrong == set()


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package_imports_itself_and_what_it_asks_for_alone(name):
    given = tomllib.loads((PACKAGES[name].parent / "pyproject.toml").read_text())["project"]
    allowed = {name, *sys.stdlib_module_names}
    extras = given.get("optional-dependencies", {}).values()
    for line in chain(given["dependencies"], *extras):
        allowed.add(IMPORTED_AS.get(line.partition(">")[0], line.partition(">")[0]))
    files_inside = [file for file in files() if PACKAGES[name] in file.parents]
    assert files_inside
    for file in files_inside:
        assert {full.partition(".")[0] for full in imported(file)} <= allowed, file


@pytest.mark.parametrize("app", APPS)
def test_every_folder_has_a_floor(app):
    rooms = {room_of(file) for file in files() if from_app(file).parts[0] == app}
    named = Counter(room for floor in FLOORS[app] for room in floor)
    assert rooms - {"__init__", "ground"} == set(named)
    assert set(named.values()) == {1}


@pytest.mark.parametrize("app", APPS)
def test_folders_import_from_lower_floors_only(app):
    known = modules()
    floor = {room: number for number, rooms in enumerate(FLOORS[app]) for room in rooms}
    # What `from jurybox import …` gives lies below it.
    floor |= {"ground": -1, "__init__": len(FLOORS[app]) if app == "jurybox" else -1}
    wrong, seen = set(), 0
    for file in files():
        if from_app(file).parts[0] != app:
            continue
        room = room_of(file)
        for name in imported(file) & known.keys():
            other = known[name]
            if from_app(other).parts[0] != app or room_of(other) == room:
                continue
            seen += 1
            if floor[room_of(other)] >= floor[room]:
                wrong.add(f"{file.relative_to(ROOT)} imports {name}")
    assert seen > (0 if app == "jurybox" else 40)
    assert wrong == set()


def test_no_folder_has_more_modules_than_a_reader_can_hold():
    sizes = Counter(file.parent for file in files() if file.name != "__init__.py")
    sizes = {folder: size for folder, size in sizes.items() if folder.name not in LEAVES}
    assert {folder: size for folder, size in sizes.items() if size > MOST} == {}


def test_only_the_settings_read_the_environment():
    entries = {"audit/celery.py", "audit/wsgi.py", "audit/asgi.py", "jurybox/command.py"}
    # The package itself holds numpy to one thread, before anything imports it.
    # A notebook may find address and token of a Jurybox there; it is no part of one.
    allowed = {
        "audit/settings.py",
        "audit/__init__.py",
        "jurybox/connection.py",
        "jurybox/check.py",
        # The host of a notebook: the key that its own person set.
        "packages/judging/jurybox_judging/host.py",
        *entries,
    }
    readers = {
        file.relative_to(ROOT).as_posix()
        for file in files()
        if "os.environ" in file.read_text() or "os.getenv" in file.read_text()
    }
    # The benchmark-side thread limits live in tests; nothing else may look.
    assert readers <= allowed

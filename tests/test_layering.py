"""Imports go one way: audit → judges → annotations; rules and statistics know no framework."""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TORCH = {"torch", "torchvision", "transformers", "open_clip", "mmdet", "mmengine", "mmcv", "timm"}
FRAMEWORK = {"django", "rest_framework", "celery"}
# folder -> what its files may not import
FORBIDDEN = {
    "annotations": {"judges", "audit", *TORCH},
    "judges": {"audit", *TORCH},
    "judges/methods": {"annotations", *FRAMEWORK, *TORCH},
    "judges/engines": {"annotations", "audit", *FRAMEWORK},
    "annotations/benchmarks": {*FRAMEWORK},
    "audit": TORCH,
    "audit/stats": {"judges", *FRAMEWORK, *TORCH},
}


def imported(file: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names.add(node.module or "")
    return {name.partition(".")[0] for name in names}


def rule_for(file: Path) -> set[str]:
    folders = [p.as_posix() for p in file.relative_to(ROOT).parents]
    return FORBIDDEN[next(folder for folder in folders if folder in FORBIDDEN)]


def test_every_file_imports_in_the_one_direction():
    files = [f for app in ("annotations", "judges", "audit") for f in (ROOT / app).rglob("*.py")]
    assert len(files) > 60
    wrong = {
        f"{file.relative_to(ROOT)} imports {name}"
        for file in files
        for name in imported(file) & rule_for(file)
    }
    assert wrong == set()


def test_only_the_settings_read_the_environment():
    entries = {"audit/celery.py", "audit/wsgi.py", "audit/asgi.py"}
    # The package itself holds numpy to one thread, before anything imports it.
    allowed = {"audit/settings.py", "audit/__init__.py", *entries}
    readers = {
        file.relative_to(ROOT).as_posix()
        for app in ("annotations", "judges", "audit")
        for file in (ROOT / app).rglob("*.py")
        if "os.environ" in file.read_text() or "os.getenv" in file.read_text()
    }
    # The benchmark-side thread limits live in tests; nothing else may look.
    assert readers <= allowed

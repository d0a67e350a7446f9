"""The judges against the official ways of looking, asking and deciding.

    python -m tests.bench.bench_judges [--quick] [PART ...]

Each part runs in a process of its own and can be run alone. Exit status 1 when a goal is missed or
the two ways disagree.
"""

from __future__ import annotations

import argparse
import importlib.util
import subprocess
import sys

PARTS = {
    "rules": "GenEval's rules alone, and other thresholds over stored detections",
    "objects": "detectors, colors and image-text similarity",
    "questions": "many questions about one picture",
    "blip": "BLIP-VQA against the official eight passes",
    "workers": "one worker process against two",
}


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    arguments.add_argument("--quick", action="store_true", help="fewer and smaller pictures")
    asked = arguments.parse_args()
    unknown = set(asked.parts) - PARTS.keys()
    if unknown:
        arguments.error(f"no part is named {', '.join(sorted(unknown))}; parts: {', '.join(PARTS)}")
    met = [_run(part, quick=asked.quick) for part in asked.parts or PARTS]
    return 0 if all(met) else 1


def _run(part: str, *, quick: bool) -> bool:
    module = f"tests.bench.bench_judges_{part}"
    print(f"\n{part}: {PARTS[part]}", flush=True)
    if importlib.util.find_spec(module) is None:
        print("  there is no such benchmark in this installation")
        return False
    code = f"from {module} import main; import sys; sys.exit(0 if main({quick}) else 1)"
    return subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main())

"""The same files as in the app, under the name `jurybox_stats`: only what they import is renamed."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NAME = "jurybox_stats"


class RenamesImports(BuildHookInterface):
    def initialize(self, version: str, build_data: dict) -> None:
        source = Path(self.root).parent / "audit" / "stats"
        if not source.is_dir():
            raise FileNotFoundError("jurybox-stats is built in a clone of Jurybox, beside audit/.")
        self.made = Path(tempfile.mkdtemp(prefix="jurybox-stats-"))
        for file in sorted(source.rglob("*.py")):
            inside = Path(NAME, file.relative_to(source))
            copy = self.made / inside
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(file.read_text().replace("audit.stats", NAME))
            build_data["force_include"][str(copy)] = inside.as_posix()
        for name, content in {
            "py.typed": "",
            "LICENSE": (source.parents[1] / "LICENSE").read_text(),
        }.items():
            (self.made / name).write_text(content)
            build_data["force_include"][str(self.made / name)] = f"{NAME}/{name}"

    def finalize(self, version: str, build_data: dict, artifact_path: str) -> None:
        shutil.rmtree(self.made, ignore_errors=True)

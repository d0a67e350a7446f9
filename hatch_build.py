"""What the wheel asks for is what the requirements files name: each version is written in one place."""

from __future__ import annotations

from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface

# Extras that are one package of requirements.txt each, without the neural engines.
SINGLE = {"parquet": "pyarrow", "s3": "django-storages", "cjk": "noto-cjk"}
# Of requirements-core.txt, which the demo needs and somebody without it does not.
OCR = ("rapidocr", "onnxruntime")


def wanted(root: Path, name: str) -> list[str]:
    """The packages that a requirements file names itself."""
    lines = (line.strip() for line in (root / name).read_text().splitlines())
    return [line for line in lines if line and not line.startswith(("#", "-"))]


def extras(root: Path) -> dict[str, list[str]]:
    whole = wanted(root, "requirements.txt")
    single = {
        extra: [line for line in whole if line.startswith(package)]
        for extra, package in SINGLE.items()
    }
    judges = [line for line in whole if not line.startswith(tuple(SINGLE.values()))]
    generate = [*judges, *wanted(root, "requirements-generate.txt")]
    ocr = [line for line in wanted(root, "requirements-core.txt") if line.startswith(OCR)]
    agents = wanted(root, "requirements-mcp.txt")
    ray = [*judges, *wanted(root, "requirements-ray.txt")]
    more = {"judges": judges, "generate": generate, "ray": [single["parquet"][0], *ray]}
    return {**single, "ocr": ocr, "mcp": agents, **more}


class FromRequirements(MetadataHookInterface):
    def update(self, metadata: dict) -> None:
        root = Path(self.root)
        core = wanted(root, "requirements-core.txt")
        metadata["dependencies"] = [line for line in core if not line.startswith(OCR)]
        metadata["optional-dependencies"] = extras(root)

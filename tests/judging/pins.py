"""Fingerprints of the shipped judges, as `fingerprints.json` pins them; `python -m tests.judging.pins` adds those of
judges that have none, before a release. One that is pinned stays."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from unittest.mock import patch

FILE = Path(__file__).parent / "fingerprints.json"
PINNED = json.loads(FILE.read_text())
# The versions with which the fingerprints were written down.
VERSIONS = {
    "numpy": "2.4.6",
    "scipy": "1.17.1",
    "pillow": "13.0.0",
    "torch": "2.13.0+cpu",
    "torchvision": "0.28.0",
    "transformers": "5.23.0",
    "open_clip_torch": "3.3.0",
    "mmdet": "3.3.0",
    "mmengine": "0.10.7",
    "mmcv-lite": "2.1.0",
    "rapidocr": "3.10.0",
    "onnxruntime": "1.32.0",
}


@contextmanager
def pinned_versions() -> Iterator[None]:
    from jurybox_judging import registry

    def version(package: str) -> str:
        try:
            return VERSIONS[package]
        except KeyError:
            raise metadata.PackageNotFoundError(package) from None

    registry.forget_engines()
    with patch.object(metadata, "version", version):
        yield
    registry.forget_engines()


def fingerprint_of(name: str) -> str:
    from jurybox_judging import registry

    with pinned_versions():
        return registry.fingerprint(registry.identity(name, {}))


def main() -> None:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    from jurybox_judging.catalogue import JUDGES

    new = {name: fingerprint_of(name) for name in JUDGES if name not in PINNED}
    pinned = {**PINNED, **new}
    by_order = {name: pinned[name] for name in (*JUDGES, *pinned)}
    FILE.write_text(json.dumps(by_order, indent=1) + "\n")
    print(f"{len(new)} judges pinned: {', '.join(new) or 'none is new'}")


if __name__ == "__main__":
    main()

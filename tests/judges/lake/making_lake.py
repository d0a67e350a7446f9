"""Lakes of a few drawn pictures: those of a study, or some of their own."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from annotations.models import Image, Study
from judges.lake import work
from tests import making

JUDGE = "soft-tifa-am-builtin"
ATOM = {
    "kind": "object",
    "text": "circle",
    "question": "Are there any circles in the image?",
    "expected": "Yes",
}
Sample = tuple[str, bytes, Mapping]


def samples_of(study: Study) -> list[Sample]:
    """The very files and prompts of a study whose pictures `making` drew."""
    images = Image.objects.filter(study=study).select_related("prompt").order_by("key")
    return [
        (
            image.key,
            drawn(int(image.prompt.key.removeprefix("p")), image.sha256),
            {
                "prompt": image.prompt.text,
                "metadata": image.prompt.metadata,
                "atoms": [
                    {
                        "kind": atom.kind,
                        "text": atom.text,
                        "question": atom.question,
                        "expected": atom.expected,
                        "parents": atom.parents,
                    }
                    for atom in image.prompt.atoms.all()
                ],
            },
        )
        for image in images.prefetch_related("prompt__atoms")
    ]


def drawn(number: int, sha256: str) -> bytes:
    content = making.png((number, 0, 0))
    assert hashlib.sha256(content).hexdigest() == sha256
    return content


def some(count: int) -> list[Sample]:
    return [
        (f"{n:04}", making.png((n, 9, 9)), {"prompt": f"a red circle, number {n}", "atoms": [ATOM]})
        for n in range(count)
    ]


def tar(path: Path, samples: Iterable[Sample]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w") as archive:
        for key, picture, about in samples:
            add(archive, f"{key}.png", picture)
            add(archive, f"{key}.json", json.dumps(about).encode())
    return path


def add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(content)
    archive.addfile(member, io.BytesIO(content))


def parquet(path: Path, samples: Iterable[Sample]) -> Path:
    import pyarrow
    from pyarrow import parquet

    rows = [
        {
            "image": {"bytes": picture, "path": f"{key}.png"},
            "image_id": key,
            "caption": about["prompt"],
            "atoms": json.dumps(about.get("atoms", [])),
            "prompt_metadata": json.dumps(about.get("metadata", {})),
        }
        for key, picture, about in samples
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    return path


def judged(source: Path | str, out: Path, *, name: str = JUDGE, **more) -> work.LakeOutcome:
    given = {"options": {}, "results": work.here, "per_part": 3, **more}
    return work.judge_lake(source=str(source), name=name, out=out, **given)


def rows(out: Path) -> list[dict]:
    from judges.lake.score_files import ScoreFolder

    folder = ScoreFolder(out)
    found = [row for name, _ in folder.parts() for row in folder.rows(name)]
    return sorted(found, key=lambda row: row["image_id"])

"""The same on Ray: its readers and judges give what one process gives."""

from __future__ import annotations

import pytest

from judges.lake import cluster
from tests.judges.lake.making_lake import judged, rows, some, tar

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.nightly("starts Ray; the quick set judges the same slices in one process"),
]


def digits(out):
    return [{name: value for name, value in row.items() if name in KEPT} for row in rows(out)]


KEPT = ("image_id", "value", "error", "atoms", "sha256")


@pytest.mark.filterwarnings("default")
def test_ray_gives_the_digits_of_one_process(tmp_path):
    pytest.importorskip("ray", reason="Ray is not here: pip install -r requirements-ray.txt")
    for number in range(2):
        tar(tmp_path / "lake" / f"{number}.tar", some(8))
    judged(tmp_path / "lake", tmp_path / "here")
    done = judged(tmp_path / "lake", tmp_path / "ray", results=cluster.on_ray(workers=1))
    assert done.pictures == 16
    assert digits(tmp_path / "ray") == digits(tmp_path / "here")

"""The command makes repairs and controls with a pipeline that lies in a folder."""

from importlib.util import find_spec

import pytest
from django.core.management import CommandError, call_command

from annotations.models import Image
from audit.models import Finding
from tests.judges.generating import tiny_pipelines

if find_spec("diffusers") is None:
    pytest.skip("diffusers is not installed", allow_module_level=True)

pytestmark = [pytest.mark.neural, pytest.mark.django_db]
SMALL = {"steps": 2, "height": 16, "width": 16}


@pytest.mark.nightly("a pipeline of diffusers; test_repairs.py has a stand-in")
def test_a_pipeline_repairs_from_the_images_own_seed(study, tmp_path, capsys):
    tiny_pipelines.first(tmp_path / "words").save_pretrained(tmp_path / "pipeline")
    image = study.images.get(key="early-0")
    Image.objects.filter(pk=image.pk).update(metadata={"seed": 7})
    said = {"wanted": "a red circle", "found": "a blue circle", "state": "real"}
    Finding.objects.create(study=study, image=image, judge="some-judge", **said)
    given = {"pipeline": str(tmp_path / "pipeline"), **SMALL}
    with pytest.raises(
        CommandError, match=r"Seed 7 does not draw “early-0” again.*they are torch "
    ):
        call_command("enforce", study.slug, **given)
    assert not study.images.filter(key__endswith="-repaired").exists()
    given["without_check"] = True
    call_command("enforce", study.slug, **given)
    assert "2 images made and imported" in capsys.readouterr().out
    repaired = study.images.get(key="early-0-repaired")
    assert repaired.metadata["form"].startswith("inferred")
    assert repaired.metadata["how"]["steps"] == 2
    assert repaired.metadata["scheduler"] == "DDIMScheduler"
    control = study.images.get(key="early-0-control")
    assert control.metadata["seed"] != 7
    assert (control.width, control.sha256 == repaired.sha256) == (16, False)
    other = study.images.get(key="early-1")
    Finding.objects.create(study=study, image=other, judge="some-judge", **said)
    with pytest.raises(CommandError, match="early-1: The image has no seed in its metadata"):
        call_command("enforce", study.slug, **given)

"""Folders that `datasets` itself saves, read by pyarrow alone."""

import pytest
from django.core.management import call_command

from annotations.exports.labels import label_rows
from annotations.models import Image
from judges.intake import bring_in
from jurybox_formats import guess_format
from jurybox_formats.registry import Source
from jurybox_formats.sources.records import Unreadable
from tests import making
from tests.formats.sets.reading import Read

datasets = pytest.importorskip("datasets")


def save(path, *, splits=False):
    rows = [
        {"prompt": "a red cup", "model": "sd", "file_name": f"{n}.png", "aligned": n % 2}
        for n in range(6)
    ]
    saved = datasets.Dataset.from_list(rows)
    if splits:
        saved = saved.train_test_split(test_size=2, seed=1)
        saved.save_to_disk(path)
    else:
        saved.save_to_disk(path, num_shards=2)
    return path


@pytest.mark.parametrize("splits", [False, True])
def test_every_row_of_a_saved_set_is_read(tmp_path, splits):
    path = save(tmp_path / "set", splits=splits)
    assert guess_format.guess(path) == ("hf", "study")
    found = Read("hf", path)
    assert (found.rejected, len(found.images), len(found.labels)) == ([], 6, 6)
    assert {image.key for image in found.images} == {f"{n}.png" for n in range(6)}
    assert {label.image: label.value for label in found.labels}["3.png"] == 1


@pytest.mark.django_db
def test_a_study_that_went_through_save_to_disk_is_the_same_study(study, tmp_path):
    making.labels(study, {"early-0": {"ann": 1, "ben": 0}, "late-1": {"ann": 1}})
    call_command("export_dataset", "shapes", str(tmp_path / "set"), pseudonyms="nobody")
    (file,) = (tmp_path / "set" / "data").glob("*.parquet")
    datasets.Dataset.from_parquet(str(file), cache_dir=str(tmp_path / "cache")).save_to_disk(
        tmp_path / "saved"
    )
    outcome = bring_in.import_study(slug="again", format="hf", source=Source(tmp_path / "saved"))
    assert (outcome.rejected, outcome.images, outcome.answers) == ([], 8, 3)
    again = Image.objects.filter(study__slug="again").first().study
    assert list(label_rows(again, people="nobody")) == list(label_rows(study, people="nobody"))


def test_a_folder_that_lacks_a_file_or_has_a_damaged_one_is_refused(tmp_path):
    path = save(tmp_path / "set")
    first, second = sorted(path.glob("*.arrow"))
    first.write_bytes(b"no arrow at all")
    with pytest.raises(Unreadable, match="is damaged"):
        Read("hf", path)
    second.unlink()
    with pytest.raises(Unreadable, match="which is not here"):
        Read("hf", path)

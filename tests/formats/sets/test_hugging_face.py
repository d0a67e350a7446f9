"""Datasets of the hub, as others publish them: GenAI-Bench's two layouts, any Parquet, imagefolder."""

import io

import pytest
from PIL import Image as Picture

from jurybox_formats import guess_format
from jurybox_formats.sources.records import Unreadable
from tests import making
from tests.formats.sets.reading import Read, written

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

RED, BLUE = making.png((255, 0, 0)), making.png((0, 0, 255))


def table(path, rows, features=None):
    """A Parquet file; `features` as the hub's library writes them into it."""
    made = pyarrow.Table.from_pylist(rows)
    if features:
        made = made.replace_schema_metadata({"huggingface": features})
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(made, path)
    return path


def picture(content, name=None):
    return {"bytes": content, "path": name}


def colour(record):
    with Picture.open(io.BytesIO(record.content())) as opened:
        return opened.getpixel((0, 0))


GENAI = {
    "Index": 7,
    "Prompt": "a red cup left of a dog",
    "Tags": {"advanced": ["counting"], "basic": ["scene", "attribute"]},
    "HumanRatings": {"DALLE_3": [5, 4, 5], "SDXL_Base": [1, 2, 1]},
    "DALLE_3": picture(RED),
    "SDXL_Base": picture(BLUE),
}
# GenAI-Bench-1600 keeps its lists as text.
GENAI_1600 = {
    "id": "00007",
    "prompt": "a red cup left of a dog",
    "basic_skills": "['scene', 'attribute']",
    "advanced_skills": "['counting']",
    "DALLE_3": picture(RED),
    "SDXL_Base": picture(BLUE),
    "DALLE_3_HumanRating": "[5, 4, 5]",
    "SDXL_Base_HumanRating": "[1, 2, 1]",
}


@pytest.mark.parametrize("row", [GENAI, GENAI_1600], ids=["genai-bench", "genai-bench-1600"])
def test_genai_benchs_published_columns_are_prompts_pictures_and_ratings(tmp_path, row):
    read = Read("hf", table(tmp_path / "data" / "train-0.parquet", [row]))
    (prompt,) = read.prompts
    assert (prompt.key, prompt.text) == ("00007", "a red cup left of a dog")
    assert prompt.tags == ("scene", "attribute", "counting")
    assert [(i.key, i.generator) for i in read.images] == [
        ("DALLE_3/00007", "DALLE_3"),
        ("SDXL_Base/00007", "SDXL_Base"),
    ]
    assert [colour(image) for image in read.images] == [(255, 0, 0), (0, 0, 255)]
    given = [(label.image[:4], label.rater, label.value) for label in read.labels]
    assert given == [
        ("DALL", "rater-1", 5),
        ("DALL", "rater-2", 4),
        ("DALL", "rater-3", 5),
        ("SDXL", "rater-1", 1),
        ("SDXL", "rater-2", 2),
        ("SDXL", "rater-3", 1),
    ]
    assert {label.question for label in read.labels} == {"likert"}
    assert read.rejected == []


def test_a_rating_that_is_none_is_named_with_its_row(tmp_path):
    wrong = GENAI_1600 | {"id": "00008", "SDXL_Base_HumanRating": "[1, 9, 1]"}
    read = Read("hf", table(tmp_path / "a.parquet", [GENAI_1600, wrong]))
    assert [(r.line, r.value) for r in read.rejected] == [(2, 9)]
    assert len(read.labels) == 11


def test_both_layouts_are_recognised_where_nobody_says_so(tmp_path):
    for number, row in enumerate([GENAI, GENAI_1600]):
        assert guess_format.guess(table(tmp_path / f"{number}.parquet", [row])) == ("hf", "study")


ANY = [
    {"image": picture(RED, "a.png"), "text": "a red cup", "model": "sd", "rating": 4, "clip": 0.5},
    {"image": picture(BLUE), "text": "a blue cup", "model": "flux", "rating": 2, "clip": 0.25},
]


@pytest.mark.parametrize("format", ["hf", "table"])
def test_any_table_with_pictures_inside_is_read_by_its_columns(tmp_path, format):
    read = Read(format, table(tmp_path / "data" / "train-0.parquet", ANY))
    assert [(i.generator, colour(i)) for i in read.images] == [
        ("sd", (255, 0, 0)),
        ("flux", (0, 0, 255)),
    ]
    assert [p.text for p in read.prompts] == ["a red cup", "a blue cup"]
    assert [label.value for label in read.labels] == [4, 2]
    assert [(s.judge, s.score) for s in read.scores] == [("clip", 0.5), ("clip", 0.25)]
    assert read.rejected == []


def test_rows_of_several_files_are_different_images(tmp_path):
    for number in range(2):
        table(tmp_path / "data" / f"train-{number}.parquet", ANY)
    read = Read("hf", tmp_path)
    assert len({image.key for image in read.images}) == len(read.images) == 4


def test_bytes_that_the_hub_calls_a_picture_are_one(tmp_path):
    features = '{"info": {"features": {"shot": {"_type": "Image"}, "text": {"_type": "Value"}}}}'
    rows = [{"shot": RED, "text": "a red cup"}]
    (image,) = Read("hf", table(tmp_path / "a.parquet", rows, features)).images
    assert colour(image) == (255, 0, 0)


def test_a_row_without_a_picture_is_an_image_that_is_known_by_name(tmp_path):
    rows = [*ANY, {"image": None, "text": "a cup", "model": "sd", "rating": 1, "clip": 0.0}]
    read = Read("hf", table(tmp_path / "a.parquet", rows))
    assert [image.content is None for image in read.images] == [False, False, True]


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_an_imagefolder_is_read_by_its_metadata(tmp_path, suffix):
    """The metadata lies beside the pictures, as `datasets` wants it."""
    rows = [
        {"file_name": "0.png", "text": "a red cup", "generator": "sd"},
        {"file_name": "1.png", "text": "a blue cup", "generator": "sd"},
    ]
    folder = tmp_path / "train"
    if suffix == "parquet":
        table(folder / "metadata.parquet", rows)
    elif suffix == "csv":
        lines = "\n".join(",".join(row.values()) for row in rows)
        written(folder, metadata_csv=f"file_name,text,generator\n{lines}\n")
    else:
        written(folder, metadata_jsonl=rows)
    (folder / "0.png").write_bytes(RED)
    (folder / "1.png").write_bytes(BLUE)
    read = Read("hf", tmp_path)
    assert [image.content.read_bytes() for image in read.images] == [RED, BLUE]
    assert read.rejected == []


def test_pictures_are_left_where_they_are_while_only_labels_are_looked_at(tmp_path, monkeypatch):
    from jurybox_formats.sources import parquet_rows

    def kept(content):
        raise AssertionError("a picture was read")

    monkeypatch.setattr(parquet_rows, "EmbeddedFile", kept)
    for number, row in enumerate([GENAI, ANY[0]]):
        read = Read("hf", table(tmp_path / f"{number}.parquet", [row]), pictures=False)
        assert read.labels
        assert all(image.content is None for image in read.images)


def test_a_picture_waits_on_the_disk_and_is_gone_with_its_record(tmp_path, monkeypatch):
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "waiting"))
    (tmp_path / "waiting").mkdir()
    read = Read("hf", table(tmp_path / "a.parquet", ANY))
    assert len(list((tmp_path / "waiting").iterdir())) == 2
    del read
    assert list((tmp_path / "waiting").iterdir()) == []


def test_a_table_without_pictures_says_what_it_lacks(tmp_path):
    with pytest.raises(Unreadable, match="picture"):
        Read("hf", table(tmp_path / "a.parquet", [{"n": 1, "mood": 0.5, "vote": 3}]))

import json
from collections import Counter
from statistics import mean

import pytest

from jurybox_formats.sets import geneval, geneval_prompts
from jurybox_formats.sources.records import Unreadable
from tests import making, needs
from tests.formats.sets.reading import Read, written

DOG = {
    "tag": "position",
    "include": [
        {"class": "teddy bear", "count": 1},
        {"class": "dog", "count": 1, "position": ["right of", 0]},
    ],
    "prompt": "a photo of a dog right of a teddy bear",
}
CLOCKS = {
    "tag": "counting",
    "include": [{"class": "clock", "count": 2}],
    "exclude": [{"class": "clock", "count": 3}],
    "prompt": "a photo of two clocks",
}
HEADER = (
    "Input.index,Input.prompt_id,Input.image_id,Input.image_url,Input.caption,"
    "Input.object_0_name,Input.object_1_name,Answer.ee,Answer.task-count-0,Answer.task-count-1,"
    "Answer.task-objects,Answer.task-position-x,Answer.task-position-y,Answer.task-quality"
)
URL = "https://x.example/images/sd/00000/samples/00000.png"


def answer(objects="dog", x="right", quality=4):
    return (
        f"0_0,0,0,{URL},a photo of a dog,teddy bear,dog,9.5,1,1.0,{objects},{x},neither_y,{quality}"
    )


def folder(tmp_path, samples=("00000.png", "00001.png")):
    for number, item in enumerate((DOG, CLOCKS)):
        place = tmp_path / "images" / f"{number:05d}"
        (place / "samples").mkdir(parents=True)
        (place / "metadata.jsonl").write_text(json.dumps(item))
        for name in samples:
            (place / "samples" / name).write_bytes(making.png((number, 0, 0)))
    return tmp_path / "images"


def test_a_prompt_is_numbered_by_its_line_and_keeps_its_clauses(tmp_path):
    read = Read("geneval", written(tmp_path, a_jsonl=[DOG, CLOCKS]) / "a.jsonl")
    assert [p.key for p in read.prompts] == ["00000", "00001"]
    assert read.prompts[1].metadata == {k: CLOCKS[k] for k in ("tag", "include", "exclude")}
    assert read.prompts[0].tags == ("position",)


def test_clauses_become_atoms_that_rest_on_their_objects(tmp_path):
    atoms = geneval.atoms(DOG)
    assert [(a.kind, a.question, a.expected, a.parents) for a in atoms] == [
        ("object", "Are there any teddy bears in the image?", "Yes", ()),
        ("object", "Are there any dogs in the image?", "Yes", ()),
        ("position", "Is the dog to the right of the teddy bear?", "Yes", (0, 1)),
    ]
    assert [(a.kind, a.expected) for a in geneval.atoms(CLOCKS)] == [
        ("object", "Yes"),
        ("count", "two"),
    ]


def test_an_image_folder_gives_prompts_and_samples_in_the_order_of_their_numbers(tmp_path):
    read = Read("geneval", folder(tmp_path), generator="sd")
    assert [i.key for i in read.images] == [
        "sd/00000/00000",
        "sd/00000/00001",
        "sd/00001/00000",
        "sd/00001/00001",
    ]
    assert [p.text for p in read.prompts] == [DOG["prompt"], CLOCKS["prompt"]]
    assert read.generators[0].name == "sd"


def test_files_that_are_no_samples_are_named_and_absent_samples_too(tmp_path):
    place = folder(tmp_path, samples=("00000.png", "00001.png", "0.png.bak"))
    (place / "00001/samples/00001.png").unlink()
    (place / "00002/samples").mkdir(parents=True)
    read = Read("geneval", place, generator="sd")
    assert any("0.png.bak" in remark.words for remark in read.remarks)
    assert "metadata of prompt 00002: 00002/metadata.jsonl" in [m.what for m in read.missing]
    assert "prompt 00001 has 1 of 2 samples by sd" in [m.what for m in read.missing]


def test_results_become_verdicts_with_reasons_and_boxes(tmp_path):
    row = {
        "filename": "images/00000/samples/00002.png",
        "tag": "position",
        "prompt": DOG["prompt"],
        "correct": False,
        "reason": "expected dog>=1, found 0",
        "metadata": json.dumps(DOG),
        "details": json.dumps({"teddy bear": [[1, 2, 3, 4, 0.9]]}),
    }
    read = Read("geneval", written(tmp_path, results_jsonl=[row]) / "results.jsonl", generator="sd")
    score = read.scores[0]
    assert (score.image, score.judge, score.score, score.correct) == (
        "sd/00000/00002",
        "geneval",
        0.0,
        False,
    )
    assert score.reason == "expected dog>=1, found 0"
    assert score.evidence["boxes"] == {"teddy bear": [[1, 2, 3, 4, 0.9]]}


def test_five_workers_of_an_image_are_five_people(tmp_path):
    place = written(
        tmp_path,
        a_csv="\n".join([HEADER, answer(), answer(x="left")]),
        evaluation_metadata_jsonl=[DOG],
    )
    read = Read("geneval", place / "a.csv")
    said = {(r.rater, r.question): r.value for r in read.labels}
    assert said["worker-1", "aligned"] == 1
    # The second worker saw the dog on the other side.
    assert said["worker-2", "aligned"] == 0
    assert said["worker-1", "position-x"] == "right"
    assert said["worker-2", "fit"] == 4
    assert read.images[0].key == "sd/00000/00000"


def test_a_record_broken_in_its_free_text_is_put_together(tmp_path):
    broken = answer(objects="dog\nbear")
    place = written(tmp_path, a_csv="\n".join([HEADER, broken, answer()]))
    read = Read("geneval", place / "a.csv")
    objects = [r.value for r in read.labels if r.question == "objects"]
    assert objects == ["dog\nbear", "dog"]
    assert any("lines 2 and 3 are one record" in remark.words for remark in read.remarks)
    assert read.rejected == []


def test_a_record_broken_elsewhere_is_reported_and_the_next_one_read(tmp_path):
    place = written(tmp_path, a_csv="\n".join([HEADER, "0_0,0", "0,x", answer()]))
    read = Read("geneval", place / "a.csv")
    assert [r.line for r in read.rejected] == [2, 3]
    assert len([r for r in read.labels if r.question == "objects"]) == 1


def test_an_answer_out_of_its_scale_is_refused_by_itself(tmp_path):
    place = written(tmp_path, a_csv="\n".join([HEADER, answer(quality=7)]))
    read = Read("geneval", place / "a.csv")
    assert [(r.field, r.value) for r in read.rejected] == [("Answer.task-quality", "7")]
    assert any(r.question == "count-0" for r in read.labels)


def test_the_official_prompts_are_553_of_six_tasks():
    read = Read("geneval", needs.shared("geneval/evaluation_metadata.jsonl"))
    assert Counter(p.tags[0] for p in read.prompts) == geneval_prompts.SIZES
    assert sum(geneval_prompts.SIZES.values()) == 553
    assert read.rejected == []


def test_the_official_answers_have_the_published_mean():
    read = Read("geneval", needs.shared("geneval/annotations_clip.csv"))
    aligned = [r.value for r in read.labels if r.question == "aligned"]
    assert (len(aligned), len(read.images), read.rejected) == (2000, 400, [])
    # CLIP retrieval, by the workers' answers: .416, in the paper .42
    assert mean(aligned) == pytest.approx(0.416)


def test_the_official_run_gives_pictures_and_verdicts():
    read = Read("geneval", needs.shared("geneval/sample_run"))
    assert (len(read.prompts), len(read.images), len(read.scores)) == (12, 12, 12)
    assert all(image.content for image in read.images)


def test_a_folder_without_anything_of_geneval_is_refused(tmp_path):
    with pytest.raises(Unreadable, match="holds neither"):
        Read("geneval", written(tmp_path, readme_txt="hello"))

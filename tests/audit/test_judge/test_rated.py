"""A judge on sets of ratings and of checks: each set's own measure by hand, and ours."""

import json
import zipfile

import pytest
from django.core.management import call_command

from annotations.errors import Refused
from audit.test_judge.compare import compare_files
from audit.test_judge.sentences import place_words
from tests import needs

RATERS = ("rater1", "rater2", "rater3")


def imagenhub(folder, task="Text-Guided_IE", items=12):
    """Two models; the second is better in every item, and items rise in three steps."""
    for rater in RATERS:
        lines = ["uid\tOld\tNew"]
        for n in range(items):
            step = (0, 0.5, 1)[n % 3]
            lines.append(f"item_{n}.jpg\t[{step}, 0.5]\t[{step}, 1]")
        (folder / f"{task}_{rater}.tsv").write_text("\n".join(lines))
    return folder


def scores(folder, rows, header="image,score"):
    file = folder / "judge.csv"
    file.write_text("\n".join([header, *rows]))
    return file


def genai(folder, ratings):
    """`ratings`: of each prompt, those of each generator."""
    file = folder / "genai_image.json"
    items = {
        f"{n:05d}": {"id": f"{n:05d}", "prompt": f"a cat {n}", "models": models}
        for n, models in enumerate(ratings, 1)
    }
    file.write_text(json.dumps(items))
    return file


def checklist(folder, answers, name="C-MI-people.json"):
    """`answers`: of each prompt, those to its points."""
    file = folder / name
    items = {
        f"C-MI-{n:03d}": {
            "Prompt": "a kitchen",
            "Checklist": [{"question": "Is there a cup?", "score": one} for one in points],
        }
        for n, points in enumerate(answers, 1)
    }
    file.write_text(json.dumps(items))
    return file


def test_scores_in_peoples_order_follow_them_wholly(tmp_path):
    rows = [
        f"{model}/item_{n}.jpg,{((0, 0.5, 1)[n % 3] * quality) ** 0.5}"
        for n in range(12)
        for model, quality in (("Old", 0.5), ("New", 1))
    ]
    found = compare_files(imagenhub(tmp_path), scores(tmp_path, rows))
    assert found["official"]["value"] == pytest.approx(1)
    assert (found["ours"]["value"], found["images"], found["missing"]) == (100, 24, 0)
    words = place_words(found)
    assert words[0].startswith("ImagenHub: Spearman 1.000 (")
    assert "No published table of judges is known for this set." in words


def test_each_task_has_its_own_correlation(tmp_path):
    imagenhub(tmp_path)
    imagenhub(tmp_path, "Text-To-Image")
    rows = [
        f"{model}/{task}/item_{n}.jpg,{sign * (n % 3)}"
        for task, sign in (("Text-Guided_IE", 1), ("Text-To-Image", -1))
        for n in range(12)
        for model in ("Old", "New")
    ]
    found = compare_files(tmp_path, scores(tmp_path, rows))
    assert found["official"] == {"undefined": "each task has its own", "n": 48}
    first, second = (one["official"]["value"] for one in found["by_task"])
    # The second task is read the wrong way round.
    assert first > 0.8 and second == pytest.approx(-first)
    assert any(
        line.startswith("Text-To-Image, 24 images: Spearman ") for line in place_words(found)
    )


def test_pairs_of_images_are_ordered_as_mean_ratings_are(tmp_path):
    # Ten prompts with means 4 and 2. The judge gives 1 and 0, the wrong way round in one prompt: 9 of 10.
    # Of all 190 pairs, people order 100 and the judge 9 · 9 of those as they do; of their 2 · 45 ties it
    # ties 2 · 36. A wider tie leaves 90 right.
    file = genai(tmp_path, [{"A": [5, 4, 3], "B": [1, 2, 3]}] * 10)
    rows = [f"{g}/{n},{int((g == 'A') == (n > 1))}" for n in range(1, 11) for g in "AB"]
    found = compare_files(file, scores(tmp_path, rows))
    assert found["ours"]["value"] == pytest.approx(90)
    assert found["official"]["value"] == pytest.approx(100 * (81 + 72) / 190)
    assert {one["judge"] for one in found["published"]} >= {"VQAScore (CLIP-FlanT5)", "CLIPScore"}
    assert set(found["beside"]) == {"Pearson", "Kendall’s τ-b"}


def test_a_rating_that_is_none_is_counted_and_shown(tmp_path):
    file = genai(tmp_path, [{"A": [5, 41, 3], "B": [1, 2, 3]}] * 10)
    rows = [f"{n},{g},{n}" for n in range(1, 11) for g in "AB"]
    found = compare_files(file, scores(tmp_path, rows, "prompt,generator,score"))
    assert (found["unread"], found["missing"], found["strange"]) == (10, 0, 0)
    assert (
        "10 ratings in the set’s file are none, such as genai_image.json, row"
        in place_words(found)[-1]
    )


def test_checks_are_weighed_by_yes_and_no(tmp_path):
    # People: 60 yes, 20 no. The judge says yes to all in half of the prompts, answers as people do in the
    # others: it finds 60 of 60 yes and 10 of 20 no.
    people = checklist(tmp_path, [[1, 1, 1, 0]] * 20)
    judge = checklist(tmp_path, [[1, 1, 1, 1], [1, 1, 1, 0]] * 10, "C-MI-judge.json")
    found = compare_files(people, judge)
    assert (found["official"]["value"], found["ours"]["value"]) == (75, 87.5)
    assert (found["people_yes"], found["judge_yes"]) == (60, 70)


def test_answers_may_be_a_table_and_a_point_without_one_is_missing(tmp_path):
    people = checklist(tmp_path, [[1, 0, ""]] * 12)
    rows = [
        f"C-MI-{n:03d}#{place},{'yes' if place == 0 else 'no'}"
        for n in range(1, 12)
        for place in (0, 1)
    ]
    found = compare_files(people, scores(tmp_path, [*rows, "C-MI-099#0,1"], "check,answer"))
    assert found["official"]["value"] == found["ours"]["value"] == 100
    assert (found["checks"], found["missing"], found["strange"]) == (22, 2, 1)
    assert "Not told apart from Qwen3.5-27B (80.9)" in "\n".join(place_words(found))


def test_few_prompts_make_no_number(tmp_path):
    file = genai(tmp_path, [{"A": [5], "B": [1]}] * 3)
    found = compare_files(file, scores(tmp_path, ["A/1,1", "B/1,0", "A/2,1"]))
    assert "prompts" in found["official"]["undefined"]
    assert place_words(found)[0].startswith("GenAI-Bench, ratings of images: none, ")


@pytest.mark.parametrize(
    ("header", "row", "words"),
    [
        ("image", "A/1", "wants a column image"),
        ("image,score", "A/1,high", "a score is a number, not “high”"),
        ("image,score", "A/1,inf", "a score is a number, not “inf”"),
        ("image,score", "A/1,1\nA/00001,2", "row 3: the image “A/00001” stands twice"),
        ("image,score", "C/1,1", "None of the images in the judge’s file is in the set"),
    ],
)
def test_a_table_of_scores_with_a_fault_is_refused(tmp_path, header, row, words):
    file = genai(tmp_path, [{"A": [5], "B": [1]}] * 10)
    with pytest.raises(Refused, match=words):
        compare_files(file, scores(tmp_path, [row], header))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"C-MI-001": {"Checklist": 3}}, "has no list “Checklist”"),
        ({"C-MI-001": {"Checklist": [3]}}, "a point is an object"),
        ({"C-MI-001": {"Checklist": [{"score": 2}]}}, "a score is 0 or 1, not “2”"),
        ({"C-MI-001": {"Checklist": [{"question": "?"}]}}, "holds no answer"),
        ({"00001": {"id": "1", "prompt": "x", "models": {"A": [9]}}}, "holds no rating"),
        ({"00001": {"prompt": "x", "models": {"A": {"human": "5.00"}}}}, "is a teaser file"),
    ],
)
def test_a_set_with_a_fault_is_refused(tmp_path, content, words):
    file = tmp_path / "set.json"
    file.write_text(json.dumps(content))
    with pytest.raises(Refused, match=words):
        compare_files(file, scores(tmp_path, ["A/1,1"]))


def test_the_official_files_are_read_whole(tmp_path):
    ratings = needs.shared("imagenhub")
    rows = [
        f"{model}/Text-To-Image/sample_{n}.jpg,{n % 7}"
        for n in range(197)
        for model in ("SD", "DALLE3")
    ]
    found = compare_files(ratings, scores(tmp_path, rows))
    assert (found["images"], found["strange"]) == (394, 0)
    sample = needs.shared("genaibench/genai_image_sample.json")
    items = json.loads(sample.read_text())
    rows = [f"{g}/{n},{len(g)}" for n, item in items.items() for g in item["models"]]
    found = compare_files(sample, scores(tmp_path, rows))
    assert (found["images"], found["missing"], found["unread"]) == (len(rows), 0, 2)


@pytest.mark.django_db
def test_the_raters_of_a_task_are_sent_as_one_archive(client, tmp_path):
    from django.core.files.uploadedfile import SimpleUploadedFile

    from tests import making

    client.force_login(making.person(making.study(), "alice", role="owner").user)
    packed = tmp_path / "raters.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for file in sorted(imagenhub(tmp_path).glob("*.tsv")):
            archive.write(file, file.name)
    rows = "\n".join(["image,score", *(f"New/item_{n}.jpg,{n % 3}" for n in range(12))])
    sent = {
        "file": SimpleUploadedFile("raters.zip", packed.read_bytes()),
        "scores": SimpleUploadedFile("judge.csv", rows.encode()),
    }
    page = client.post("/test-judge/", sent)
    assert page.context["found"]["official"]["value"] == pytest.approx(1)
    assert "Spearman" in page.content.decode()


def test_the_command_takes_the_folder_of_a_set(tmp_path, capsys):
    rows = [f"New/item_{n}.jpg,{n % 3}" for n in range(12)]
    call_command("test_judge", str(scores(tmp_path, rows)), "--on", str(imagenhub(tmp_path)))
    assert "ImagenHub: Spearman 1.000" in capsys.readouterr().out

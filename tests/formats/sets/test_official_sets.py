"""GenEval 2, GenAI-Bench, T2I-CompBench, M3T2IBench, DSG and TIFA: small files, then the real ones."""

from collections import Counter

import pytest

from jurybox_formats.sets import m3t2ibench
from jurybox_formats.sources.records import Unreadable
from tests import making, needs
from tests.formats.sets.reading import Read, written

PIG = {
    "prompt": "a green backpack and a pig",
    "atom_count": 3,
    "vqa_list": [
        ["How many backpacks are in the image?", "one"],
        ["Is the backpack green?", "Yes"],
        ["Are there any backpacks in the image?", "Yes"],
        ["How many pigs are in the image?", "one"],
        ["Are there any pigs in the image?", "Yes"],
    ],
    "skills": ["count", "attribute", "object", "count", "object"],
}
DSG_HEADER = (
    "item_id,text,keywords,proposition_id,dependency,category_broad,category_detailed,tuple,"
    "question_natural_language\n"
)
TIFA = [
    {
        "id": "t1",
        "caption": "two cats",
        "question": question,
        "choices": choices,
        "answer": choices[0],
        "element_type": kind,
        "element": "cat",
    }
    for question, choices, kind in (
        ("are there cats?", ["yes", "no"], "animal/human"),
        ("how many cats?", ["2", "1"], "counting"),
    )
]


# --- GenEval 2 -------------------------------------------------------------------------------------


def test_geneval2_has_a_question_per_atom_and_one_per_article(tmp_path):
    read = Read("geneval2", written(tmp_path, a_jsonl=[PIG]) / "a.jsonl")
    prompt = read.prompts[0]
    assert (prompt.key, prompt.atomicity, len(prompt.atoms)) == ("0000", 3, 5)
    assert [a.kind for a in prompt.atoms] == PIG["skills"]


def test_geneval2_finds_pictures_by_their_prompt_and_names_the_absent_one(tmp_path):
    place = written(
        tmp_path,
        a_jsonl=[PIG, {**PIG, "prompt": "another"}],
        map_json={PIG["prompt"]: "a.png", "unheard of": "b.png"},
    )
    (place / "a.png").write_bytes(making.png())
    read = Read("geneval2", place, generator="sd")
    assert [(i.key, i.prompt) for i in read.images] == [("sd/0000", "0000")]
    assert [m.what for m in read.missing] == ["picture of prompt 0001: another"]
    assert [r.value for r in read.rejected] == ["unheard of"]


def test_geneval2_score_lists_give_both_means_and_every_atom(tmp_path):
    place = written(tmp_path, a_jsonl=[PIG], scores_json=[[0.5, 0.5, 0.5, 0.5, 0.0]])
    read = Read("geneval2", place, generator="sd", judge="qwen")
    whole = {s.judge: s.score for s in read.scores if s.atom is None}
    # (4 * 0.5 + 0) / 5 = 0.4; one zero makes the geometric mean zero
    assert whole == {"qwen-am": pytest.approx(0.4), "qwen-gm": 0.0}
    assert len([s for s in read.scores if s.judge == "qwen-am" and s.atom is not None]) == 5


def test_geneval2_scores_of_another_length_are_refused(tmp_path):
    place = written(tmp_path, a_jsonl=[PIG], scores_json=[[0.5, 0.5]])
    read = Read("geneval2", place, generator="sd")
    assert [r.reason for r in read.rejected] == ["2 scores for 5 questions."]


def test_the_official_geneval2_has_800_prompts_and_6012_questions():
    read = Read("geneval2", needs.shared("geneval2/geneval2_data.jsonl"))
    assert Counter(p.atomicity for p in read.prompts) == dict.fromkeys(range(3, 11), 100)
    kinds = Counter(a.kind for p in read.prompts for a in p.atoms)
    assert kinds == {"count": 2025, "object": 2025, "attribute": 1214, "position": 662, "verb": 86}
    assert read.rejected == []


# --- GenAI-Bench -----------------------------------------------------------------------------------


def rating(**models):
    return {"00001": {"id": "00001", "prompt": "a cat", "models": models}}


def test_three_ratings_are_three_people(tmp_path):
    read = Read("genai_bench", written(tmp_path, a_json=rating(sd=[3, 4, 4])) / "a.json")
    assert [(r.image, r.rater, r.question, r.value) for r in read.labels] == [
        ("sd/00001", "rater-1", "likert", 3.0),
        ("sd/00001", "rater-2", "likert", 4.0),
        ("sd/00001", "rater-3", "likert", 4.0),
    ]


def test_a_rating_off_the_scale_is_refused_with_its_line_and_the_others_stay(tmp_path):
    read = Read("genai_bench", written(tmp_path, a_json=rating(sd=[5, 41, 4])) / "a.json")
    assert [(r.line, r.field, r.value) for r in read.rejected] == [(2, "models.sd", 41)]
    assert [r.value for r in read.labels] == [5.0, 4.0]


def test_skills_become_tags_and_pictures_are_found_by_generator_and_number(tmp_path):
    place = written(
        tmp_path / "set", genai_image_json=rating(sd=[3]), genai_skills_json={"counting": [1]}
    )
    pictures = tmp_path / "pictures"
    (pictures / "sd").mkdir(parents=True)
    (pictures / "sd" / "00001.jpeg").write_bytes(b"x")
    read = Read("genai_bench", place, images=pictures)
    assert read.prompts[0].tags == ("counting",)
    assert read.images[0].content == pictures / "sd" / "00001.jpeg"


def test_a_ranking_has_nine_pictures_of_a_prompt(tmp_path):
    nine = {str(n): [n % 5 + 1] * 3 for n in range(1, 10)}
    read = Read("genai_bench", written(tmp_path, a_json=rating(sd=nine)) / "a.json")
    assert [i.key for i in read.images] == [f"sd/00001_{n:02d}" for n in range(1, 10)]
    assert len(read.labels) == 27


def test_genai_bench_of_527_prompts_is_read_whole(tmp_path):
    # As in the official file, the entry "00292" has the id "292".
    items = {
        f"{n:05d}": {"id": str(n) if n > 291 else f"{n:05d}", "prompt": f"cat {n}", "models": {"sd": [n % 5 + 1]}}
        for n in range(1, 528)
    }  # fmt: skip
    read = Read("genai_bench", written(tmp_path, a_json=items) / "a.json")
    assert read.rejected == []
    assert [p.key for p in read.prompts] == [f"{n:05d}" for n in range(1, 528)]
    assert len(read.labels) == 527


def test_an_id_of_another_entry_is_refused(tmp_path):
    items = {"00001": {"id": "2", "prompt": "a cat", "models": {}}}
    read = Read("genai_bench", written(tmp_path, a_json=items) / "a.json")
    assert [(r.field, r.value) for r in read.rejected] == [("id", "2")]


def test_the_official_ids_without_their_zeros_are_read():
    read = Read("genai_bench", needs.shared("genaibench/genai_image_ids.json"))
    assert (len(read.prompts), read.rejected) == (8, [])


def test_a_file_of_the_folder_that_is_not_read_is_named(tmp_path):
    other = {"00001": {"id": "00001", "prompt": "a cat", "models": {"sd": {"clip": "0.2"}}}}
    place = written(tmp_path, genai_image_json=rating(sd=[3]), teaser_json=other, notes_txt="x")
    read = Read("genai_bench", place)
    assert [remark.words for remark in read.remarks] == [
        "2 files were left out (no ratings of single people): notes.txt, teaser.json."
    ]


def test_the_official_ratings_have_two_typing_errors():
    read = Read("genai_bench", needs.shared("genaibench/genai_image_sample.json"))
    assert (len(read.prompts), len(read.images), len(read.generators)) == (62, 372, 6)
    assert [r.value for r in read.rejected] == [41, 33]
    assert len(read.labels) == 62 * 6 * 3 - 2


def test_the_official_teaser_is_told_apart():
    with pytest.raises(Unreadable, match="teaser"):
        Read("genai_bench", needs.shared("genaibench/genai_image_teaser.json"))


# --- T2I-CompBench ---------------------------------------------------------------------------------


def test_lines_with_any_ending_are_prompts_and_the_last_needs_none(tmp_path):
    place = written(tmp_path, color_val_txt="a red cup\r\na café\r\n\r\nthe end.")
    read = Read("t2i_compbench", place / "color_val.txt")
    assert [(p.key, p.text, p.tags) for p in read.prompts] == [
        ("color_val/000000", "a red cup", ("color",)),
        ("color_val/000001", "a café", ("color",)),
        ("color_val/000002", "the end.", ("color",)),
    ]


@pytest.mark.parametrize(
    ("file", "category", "subset"),
    [
        ("complex_val_spatialaction.txt", "complex", "spatialaction"),
        ("complex_train_action.txt", "complex", "action"),
        ("color_val.txt", "color", None),
        ("color.txt", "color", None),
    ],
)
def test_the_list_that_a_prompt_stands_in_is_kept(tmp_path, file, category, subset):
    (tmp_path / file).write_text("a red cup")
    (prompt,) = Read("t2i_compbench", tmp_path / file).prompts
    assert (prompt.metadata["category"], prompt.metadata.get("subset")) == (category, subset)


def test_pictures_and_results_meet_by_their_running_number(tmp_path):
    prompts = written(tmp_path, color_val_txt="a red cup\na blue cup.")
    made = tmp_path / "made"
    (made / "samples").mkdir(parents=True)
    for name in ("a red cup_000000.png", "a blue cup._000010.png", "a cat_000001.png", "x.png"):
        (made / "samples" / name).write_bytes(making.png())
    results = [{"question_id": 0, "answer": "0.7110"}, {"question_id": 3, "answer": "1"}]
    written(made / "annotation_blip", vqa_result_json=results)
    read = Read("t2i_compbench", prompts / "color_val.txt", images=made, generator="sd")
    assert [(i.key, i.prompt) for i in read.images] == [
        ("sd/color_val/000000", "color_val/000000"),
        ("sd/color_val/000010", "color_val/000001"),
    ]
    assert [(s.judge, s.image, s.score) for s in read.scores] == [
        ("blip-vqa", "sd/color_val/000000", 0.711)
    ]
    assert {r.field for r in read.rejected} == {"samples", "question_id"}
    assert [m.what for m in read.missing] == ["result of blip-vqa for picture 000010"]
    assert any("x.png" in remark.words for remark in read.remarks)


def test_the_official_prompt_files_have_their_known_sizes():
    read = Read("t2i_compbench", needs.shared("t2i_compbench/dataset"))
    sizes = Counter(p.key.partition("/")[0] for p in read.prompts)
    # `wc -l` counts 299 in a validation set, since the last line has no end.
    assert (sizes["color_val"], sizes["color_train"], sizes["color"]) == (300, 700, 860)
    assert (sizes["complex_val_action"], sizes["shape_val_unseen"]) == (212, 100)
    assert "color.txt: 860 prompts, 842 of them distinct." in [r.words for r in read.remarks]
    assert not any("\r" in p.text for p in read.prompts)


# --- M3T2IBench ------------------------------------------------------------------------------------


def test_a_circle_is_found_along_its_axis_only():
    one, two, three = ("cup", 1), ("cup", 2), ("cup", 3)
    circle = [(one, "left", two), (two, "left", three), (one, "right", three)]
    assert m3t2ibench.circular(circle) == [one, two, three]
    # Left and above do not disturb one another.
    assert m3t2ibench.circular([(one, "left", two), (two, "above", one)]) == []


def test_the_paper_s_record_becomes_nine_atoms():
    read = Read("m3t2ibench", needs.shared("m3t2ibench/example_record_UNOFFICIAL.json"))
    prompt = read.prompts[0]
    # three categories, four colours, two relations
    assert Counter(a.kind for a in prompt.atoms) == {"count": 3, "attribute": 4, "position": 2}
    assert prompt.metadata["relations"][0] == ["computer mouse", 1, "left", "cell phone", 2]
    assert read.rejected == []


# --- DSG -------------------------------------------------------------------------------------------


def dsg(*rows):
    return DSG_HEADER + "".join(
        f"a,a red dog,k,{n},{on},{kind},t,t,q{n}?\n" for n, on, kind in rows
    )


def test_dependencies_become_parents(tmp_path):
    text = dsg((1, 0, "entity"), (2, 1, "attribute"), (3, '"1,2"', "relation"))
    read = Read("dsg", written(tmp_path, q_csv=text) / "q.csv")
    assert [a.parents for a in read.prompts[0].atoms] == [(), (0,), (0, 1)]


@pytest.mark.parametrize(
    ("on", "words"), [('"5, right"', "is no dependency"), ("9", "not there"), ("2", "in a circle")]
)
def test_junk_dependencies_are_dropped_and_reported(tmp_path, on, words):
    text = dsg((1, 0, "entity"), (2, on, "attribute"))
    read = Read("dsg", written(tmp_path, q_csv=text) / "q.csv")
    assert [a.parents for a in read.prompts[0].atoms] == [(), ()]
    assert any(words in remark.words for remark in read.remarks)


def test_an_answer_counts_only_where_its_direct_parents_were_right(tmp_path):
    header = (
        "dsg_prompt_split,qg_model,t2i_model,item_id,question,question_id,dependency_id,answer\n"
    )
    said = [(1, 0, "no"), (2, 1, "yes"), (3, 2, "yes")]
    text = header + "".join(f"s,dsg,sd,a,q{n}?,{n},{on},{answer}\n" for n, on, answer in said)
    questions = dsg((1, 0, "entity"), (2, 1, "attribute"), (3, 2, "attribute"))
    read = Read("dsg", written(tmp_path, q_csv=questions, vqa_dsg_csv=text))
    # 1: no. 2: yes, but rests on 1. 3: yes, and its direct parent 2 was answered yes. 1/3.
    whole = [s.score for s in read.scores if s.atom is None]
    assert whole == [pytest.approx(1 / 3)]
    assert [s.score for s in read.scores if s.atom is not None] == [0.0, 1.0, 1.0]


def test_junk_dependencies_of_answers_are_dropped_as_those_of_questions(tmp_path):
    header = "t2i_model,item_id,question,question_id,dependency_id,answer\n"
    said = [(1, 0, "no"), (2, 1, "yes"), (3, '"1, right"', "yes")]
    text = header + "".join(f"sd,a,q{n}?,{n},{on},{answer}\n" for n, on, answer in said)
    questions = dsg((1, 0, "entity"), (2, 1, "attribute"), (3, '"1, right"', "relation"))
    read = Read("dsg", written(tmp_path, q_csv=questions, vqa_dsg_csv=text))
    assert any("all dependencies of “a” were dropped" in r.words for r in read.remarks)
    # With its dependency on 1, question 2 would not count: 0. Without any: 2 of 3.
    assert [s.score for s in read.scores if s.atom is None] == [pytest.approx(2 / 3)]


def test_likert_ratings_of_dsg_are_labels(tmp_path):
    text = "t2i_model,item_id,worker_id,answer\nsd,a,w1,4\nsd,a,w2,6\n"
    read = Read("dsg", written(tmp_path, l_csv=text, q_csv=dsg((1, 0, "entity"))))
    assert [(r.image, r.rater, r.value) for r in read.labels] == [("sd/a", "w1", 4.0)]
    assert [r.value for r in read.rejected] == ["6"]


def test_the_official_dsg_has_1060_items_and_8182_questions():
    read = Read("dsg", needs.shared("dsg"))
    assert (len(read.prompts), sum(len(p.atoms) for p in read.prompts)) == (1060, 8182)
    junk = {r.words.split("“")[2].split("”")[0] for r in read.remarks if "no dependency" in r.words}
    assert len(junk) == 8
    assert read.rejected == []
    # The other generators have 159 of the 160 items of this split.
    makers = ("mini-dalle", "vq-diffusion", "sd1dot1", "sd1dot5", "sd2dot1")
    assert sorted(m.what for m in read.missing) == sorted(
        f"answers about tifa160_134 by {generator}" for generator in makers
    )


# --- TIFA ------------------------------------------------------------------------------------------


def test_questions_of_a_caption_become_its_atoms(tmp_path):
    read = Read("tifa", written(tmp_path, q_json=TIFA) / "q.json")
    prompt = read.prompts[0]
    assert (prompt.key, prompt.text) == ("t1", "two cats")
    assert [(a.kind, a.expected) for a in prompt.atoms] == [("object", "yes"), ("count", "2")]
    assert prompt.metadata["questions"][1]["choices"] == ["2", "1"]


def test_ratings_name_the_generator_after_the_caption(tmp_path):
    ratings = {
        "t1_mini_dalle": {
            "text_id": "t1",
            "text": "two cats",
            "human_scores": [5, 3],
            "human_avg": 4.0,
            "clip": 0.31,
        }
    }
    read = Read("tifa", written(tmp_path, h_json=ratings) / "h.json")
    assert read.images[0].key == "mini_dalle/t1"
    assert [r.value for r in read.labels] == [5.0, 3.0]
    assert [(s.judge, s.score) for s in read.scores] == [("clip", 0.31)]


def test_the_official_tifa_files_give_a_score_for_each_question():
    read = Read("tifa", needs.shared("tifa"), generator="sd")
    assert (len(read.prompts), sum(len(p.atoms) for p in read.prompts)) == (2, 19)
    whole = [s.score for s in read.scores if s.atom is None]
    # tifa_average of the file
    assert sum(whole) / len(whole) == pytest.approx(0.8125)

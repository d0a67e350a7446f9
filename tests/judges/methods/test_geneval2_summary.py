import json

import pytest

from judges.methods.geneval2_summary import by_atomicity, by_skill, overall
from tests import needs

ANSWERS = [[1.0, 0.25], [0.5, 0.5, 0.0]]
SKILLS = [["object", "count"], ["object", "count", "verb"]]


def test_questions_are_pooled_by_skill():
    # Objects (1 + 0.5) / 2, counts (0.25 + 0.5) / 2
    assert by_skill(ANSWERS, SKILLS) == pytest.approx({"object": 0.75, "count": 0.375, "verb": 0})


def test_prompts_are_averaged_by_atomicity():
    # sqrt(1 * 0.25) = 0.5; a 0 takes the whole prompt: (0.5 + 0) / 2
    assert by_atomicity(ANSWERS, [3, 3]) == pytest.approx({3: 0.25})
    assert by_atomicity(ANSWERS, [4, 3]) == pytest.approx({3: 0.0, 4: 0.5})


def test_what_does_not_fit_together_is_refused():
    with pytest.raises(ValueError):
        by_skill(ANSWERS, [["object"], ["object", "count", "verb"]])
    with pytest.raises(ValueError, match="no judged image"):
        overall([])


def test_a_perfect_generator_is_perfect_in_every_skill_of_the_benchmark():
    lines = needs.shared("geneval2/geneval2_data.jsonl").read_text().splitlines()
    prompts = [json.loads(line) for line in lines]
    answers = [[1.0] * len(prompt["vqa_list"]) for prompt in prompts]
    skills = by_skill(answers, [prompt["skills"] for prompt in prompts])
    assert skills == dict.fromkeys(("count", "object", "attribute", "position", "verb"), 1.0)
    levels = by_atomicity(answers, [prompt["atom_count"] for prompt in prompts])
    assert levels == pytest.approx(dict.fromkeys(range(3, 11), 1.0))

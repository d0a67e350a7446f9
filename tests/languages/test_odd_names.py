"""Whatever a judge or a generator is called, a sentence about it is translated as one about a plain name is."""

from __future__ import annotations

import pytest
from django.utils import translation

from annotations.language.stored_words import keep_names, say
from audit.words import drift_state, titles, verdicts
from audit.words.report import headline
from tests.audit.words.made_up import MadeUp

ODD = (
    "people: yes",
    "model (v2)",
    "a “quoted” one",
    "one, two",
    "It drifts. Often!",
    "v1.5 to 2.0",
    "100 % sure",
    "مُقيّم: ١",
    "long" * 50,
)
PLAIN = "Plainname"


@pytest.mark.parametrize("language", ["de", "zh-hans"])
@pytest.mark.parametrize("name", ODD)
def test_a_sentence_about_an_odd_name_is_translated_whole(language, name):
    keep_names([name])
    judges = [judge for seed in range(12) for judge in MadeUp(seed).report()["judges"].values()]
    known = 0
    with translation.override(language):
        for judge in judges:
            for called in (drift_state.sentence, verdicts.english.read_verdict):
                plain, odd = say(called(PLAIN, judge)), say(called(name, judge))
                known += PLAIN in plain and plain != called(PLAIN, judge)
                assert odd == plain.replace(PLAIN, name)
    assert known > 20


def test_a_report_keeps_the_names_that_its_sentences_hold(settings):
    body = next(body for seed in range(99) if (body := MadeUp(seed).report())["judges"])
    name = "ours: the second (new)"
    judges = body["judges"]
    judges[name] = judges.pop(next(iter(judges)))
    body |= {"generators": [{"name": "brush: one"}], "comparison": {"judges": {}, "best": None}}
    body["people"]["annotations"] = 60
    titles.remember(body)
    line = headline({**body, "judges": {name: judges[name]}})
    plain = headline({**body, "judges": {PLAIN: judges[name]}})
    with translation.override("de"):
        assert say(plain) != plain
        assert say(line) == say(plain).replace(PLAIN, name)
        assert say("Saturated: people say yes to 95 % or more of brush: one.").endswith(
            "brush: one."
        )

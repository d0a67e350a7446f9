"""The judge of a run, ready to look again: only as it was when it scored the study."""

from __future__ import annotations

from judges.models import Run
from judges.runs.lifecycle import own_options
from judges.runs.score_chunk import changes
from jurybox_judging import registry
from jurybox_judging.errors import JudgeRefused
from jurybox_judging.self_test import check_engines


def judge_of_run(run: Run) -> registry.Judge:
    """With its engines loaded and nothing remembered."""
    name, options = run.judge.name, own_options(run.judge)
    registry.expect_here(name)
    judge = registry.build(name, options)
    if not any(getattr(engine, "needs_pixels", True) for engine in judge.parts.values()):
        raise JudgeRefused(
            "This judge reads what a file says of the images and looks at no picture: it cannot change."
        )
    registry.take_in_hand(judge)
    if judge.self_test:
        check_engines(judge.parts, keep_alive=lambda: None)
    for engine in judge.parts.values():
        engine.load()
    # Another version is another judge, whose scores may differ without anything being amiss.
    if different := changes(run.judge, registry.identity(name, options)):
        raise JudgeRefused(
            f"The judge here is not the one of the run: {different}. Start the judge anew; the new run "
            "has a certificate of its own."
        )
    judge = registry.build(name, options)
    forget_answers(judge)
    return judge


def forget_answers(judge: registry.Judge) -> None:
    """What engines remember would be no answer to the same question a second time."""
    for engine in judge.parts.values():
        if forget := getattr(engine, "forget", None):
            forget()

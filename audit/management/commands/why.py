"""`manage.py why STUDY --judge J --from A --to B`: what moved the gap between people and a judge."""

from annotations.management.command import StudyCommand, as_json
from audit.anchors import certificate as certificates
from audit.management.report_options import add_seed_and_resamples, check_resamples
from audit.why import stored, watches
from audit.why.asked import Asked
from audit.why.explain import explain
from audit.words import anchors as anchor_words
from audit.words import watches as watch_words
from audit.words import why as words
from audit.words.numbers import p_words, with_interval

SIDE = (
    "generators with commas between them, released=2024-01-01..2024-12-31, labelled=2025-01-01.. "
)


class Command(StudyCommand):
    help = "Say why the gap between people and a judge moved from one side of a study to another."

    def arguments(self, add) -> None:
        add("--judge", required=True, metavar="J")
        now = "another version, which scored the second side"
        add("--judge-now", now, default="", metavar="J")
        add("--from", SIDE, dest="before", required=True, metavar="A")
        add("--to", f"{SIDE}or study=NAME", dest="after", required=True, metavar="B")
        add("--question", default="")
        add_seed_and_resamples(add)
        add.json()

    def do(self, study, *, seed, resamples, json, **options) -> str:
        check_resamples(resamples)
        names = ("judge", "before", "after", "judge_now", "question")
        asked = Asked(**{name: options[name] for name in names})
        find = stored.study_called
        body = explain(study, asked, find=find, resamples=resamples, seed=seed)
        held = certificates.of_sides(body)
        body["watches"]["judge"] = watches.of_judge(body)
        return as_json({**body, "certificates": held}) if json else _as_text(body, held)


def _as_text(body: dict, held: list[dict]) -> str:
    certified = [line for one in held for line in anchor_words.sentences(one)]
    watched = watch_words.sentences(body["watches"], body["watches"]["judge"])
    lines = [*words.sentences(body, anchored=bool(held)), *certified, *watched, ""]
    for part, estimate in [*words.parts_of(body), ("all together", body["moved"])]:
        shown = words.name(part) if part in body["parts"] else part
        if "undefined" in estimate:
            lines.append(f"  {shown}: {estimate['undefined']}")
            continue
        p = f", {p_words(estimate['p_holm'])}" if "p_holm" in estimate else ""
        lines.append(f"  {shown}: {with_interval('net_deviation', estimate)}{p}")
    return "\n".join(lines)

"""`manage.py leaderboard STUDY`: the generators by people and by each judge."""

from annotations.management.command import StudyCommand, as_json
from audit.contests.asked import MADE_FROM, TIES, Asked
from audit.contests.leaderboard import leaderboard
from audit.management.report_options import add_seed_and_resamples, check_resamples
from audit.words import contests as words
from audit.words.numbers import with_interval
from audit.words.report import title


class Command(StudyCommand):
    help = "Say which generators win, by people and by each judge, from comparisons of two images."

    def arguments(self, add) -> None:
        add("--question", default="")
        model = "the model of ties; arena counts half a win for both"
        add("--ties", model, choices=tuple(TIES), default="davidson")
        add("--slice", "prompts with this tag only", default="", metavar="TAG")
        add(
            "--from",
            "images seen side by side, where there are votes, or answers about single images",
            dest="made_from",
            choices=tuple(MADE_FROM),
            default="",
        )
        add_seed_and_resamples(add)
        add.json()

    def do(self, study, *, seed, resamples, json, **options) -> str:
        check_resamples(resamples)
        names = ("question", "ties", "slice", "made_from")
        asked = Asked(**{name: options[name] for name in names})
        body = leaderboard(study, asked, resamples=resamples, seed=seed)
        return as_json(body) if json else as_text(body)


def as_text(body: dict) -> str:
    simulated = ["Simulated: programs made the images and gave the answers."]
    lines = [*(simulated if body["simulated"] else []), *words.sentences(body)]
    told = body["people"]
    for place in told.get("places", []):
        lines += ["", f"{place['generator']}: {words.ranks(place)}"]
        lines.append(f"  people: {with_interval('win_share', place['win_share'])}")
        for name, judge in body["judges"].items():
            share = words.of_generator(judge["board"], place["generator"])
            said = share.get("undefined") or with_interval("win_share", share)
            lines.append(f"  {title(name)}: {said}")
    if told.get("groups"):
        lines += ["", "Cannot be told apart:"]
        lines += [f"  {words.listed(group)}" for group in told["groups"] if len(group) > 1] or [
            "  –"
        ]
    if body["judges"]:
        lines += ["", "Soft pairwise accuracy:"]
    for name, judge in body["judges"].items():
        soft = judge["soft_pairwise"]
        said = soft.get("undefined") or with_interval("vote_soft_pairwise", soft)
        lines.append(f"  {title(name)}: {said}")
    return "\n".join(lines)

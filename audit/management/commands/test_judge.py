"""`manage.py test_judge SCORES --on FILE`: a judge's place among published ones on a set of votes."""

from pathlib import Path

from annotations.management.command import PlainCommand, as_json
from audit.test_judge.compare import compare_files
from audit.test_judge.sentences import place_words


class Command(PlainCommand):
    help = "Compare a judge's scores or votes with people's on a published set that lies in a file."

    def arguments(self, add) -> None:
        add(
            "scores",
            "pair and vote, vote_swapped, or score_a, score_b; image and score; check and answer",
            type=Path,
        )
        add(
            "--on",
            "the set's own file, or the folder of its files",
            type=Path,
            required=True,
            metavar="FILE",
        )
        add.json()

    def handle(self, *, scores, on, json, **options) -> str:
        found = compare_files(on, scores)
        return as_json(found) if json else "\n".join(place_words(found))

"""`manage.py test_judge SCORES --on FILE`: a judge's place among published ones on a set of votes."""

from pathlib import Path

from annotations.management.command import PlainCommand, as_json
from audit.test_judge.choices import read_choices
from audit.test_judge.pairs import read_pairs
from audit.test_judge.place import place_judge, place_words


class Command(PlainCommand):
    help = "Compare a judge's scores or votes with people's on a published set that lies in a file."

    def arguments(self, add) -> None:
        add("scores", "pair and vote, vote_swapped, or score_a, score_b", type=Path)
        add("--on", "the set's own file", type=Path, required=True, metavar="FILE")
        add.json()

    def handle(self, *, scores, on, json, **options) -> str:
        name, pairs = read_pairs(on)
        found = place_judge(name, pairs, read_choices(scores))
        return as_json(found) if json else "\n".join(place_words(found))

"""`manage.py win_rate STUDY A B`: how often one generator wins against another, with judges' help."""

from annotations.management.command import StudyCommand, as_json
from annotations.pairs.votes import MATCH
from audit.contests.win_rate import win_rate
from audit.words import contests as words


class Command(StudyCommand):
    help = (
        "Say how often one generator wins against another over all prompts that both have, from people's "
        "votes on some pairs with the help of judges' scores of all."
    )

    def arguments(self, add) -> None:
        add("first", "a generator, by name", metavar="A")
        add("second", metavar="B")
        several = "may be given several times; without it, every judge with all scores"
        add.many("--judge", several, metavar="NAME")
        add("--question", default=MATCH)
        add.json()

    def do(self, study, *, first, second, judge, question, json, **options) -> str:
        body = win_rate(study, first, second, judges=judge, question=question)
        return as_json(body) if json else "\n".join(words.of_rate(body))

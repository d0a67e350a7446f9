"""`manage.py judges`: which judges can run on this machine, what the others lack, and recipes of one's
own."""

from dataclasses import asdict
from pathlib import Path

from django.core.management import CommandError

from annotations.management.command import PlainCommand, as_json
from judges import own_recipes
from judges.runs.queries import list_judges
from jurybox_judging import catalogue
from jurybox_judging.recipes.option_tables import judge_page


class Command(PlainCommand):
    help = "List the judges: which can run here, what the others lack, which options they take."

    def arguments(self, add) -> None:
        add("judge", "show only this one, with options", nargs="?", default="")
        add.json("print one list")
        add.flag("--markdown", "print the page docs/judge-tables.md")
        add.flag("--recipe", "print the judge's recipe")
        add("--add", "add a recipe of your own", metavar="FILE")
        add("--remove", "remove a recipe of your own", metavar="NAME")

    def handle(self, *, judge, json, markdown, recipe, add, remove, **options) -> str | None:
        if markdown:
            self.stdout.write(judge_page(catalogue.JUDGES), ending="")
            return None
        if recipe:
            if not judge:
                raise CommandError("Name the judge whose recipe you want.")
            self.stdout.write(own_recipes.text_of(judge), ending="")
            return None
        if add:
            added = own_recipes.add(text=own_recipes.decoded(_content(add), add), file=add)
            return f"Added {added.name}: {added.title}"
        if remove:
            own_recipes.remove(name=remove)
            return f"Removed {remove}."
        judges = list_judges(only=judge)
        if json:
            return as_json([asdict(info) for info in judges], default=str)
        width = max(len(info.name) for info in judges)
        lines = []
        for info in judges:
            lines += [f"{info.name:<{width}}  {info.title}", f"{'':<{width}}  {info.sentence}"]
            for told in info.declared if judge else ():
                lines.append(f"{'':<{width}}    {told['name']} = {told['default']}")
                lines.append(f"{'':<{width}}      {told['help']} It is {told['wanted']}.")
        return "\n".join(lines)


def _content(file: str) -> bytes:
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise CommandError(f"“{file}” cannot be read: {error.strerror}.") from None

"""`manage.py groups STUDY list|make|put|delete`: who labels which images."""

from __future__ import annotations

from django.core.management import BaseCommand, CommandError

from annotations.errors import Refused
from annotations.models import Group, Membership, Selection, Study
from annotations.studies import groups


class Command(BaseCommand):
    help = "List a study's groups, make or delete one, or put people into one."

    def add_arguments(self, parser) -> None:
        parser.add_argument("study", help="the study's short name")
        verbs = parser.add_subparsers(dest="verb", required=True)
        verbs.add_parser("list", help="print each group with its images and its people")
        make = verbs.add_parser("make", help="make a group")
        make.add_argument("name")
        images = make.add_mutually_exclusive_group(required=True)
        images.add_argument("--only", metavar="SELECTION", help="its people get these images")
        images.add_argument("--except", metavar="SELECTION", help="they get all but these")
        put = verbs.add_parser("put", help="put people into a group")
        put.add_argument("group", help="the group's name; “-” for none")
        put.add_argument("person", nargs="+", help="names as the page of people shows them")
        delete = verbs.add_parser("delete", help="delete a group; its people then get all images")
        delete.add_argument("name")

    def handle(self, *, study, verb, **given) -> None:
        place = Study.objects.filter(slug=study).first()
        if place is None:
            raise CommandError(f"There is no study “{study}”.")
        try:
            self.stdout.write(getattr(self, f"_{verb}")(place, given))
        except Refused as refusal:
            raise CommandError(refusal.message) from None

    def _list(self, study: Study, given: dict) -> str:
        rows = [
            f"{row.name}: {row.images_in_words} ({row.selection.images}); "
            f"people: {row.members.filter(removed_at=None).count()}"
            for row in groups.groups_of(study)
        ]
        return "\n".join(rows) or "There are no groups: everybody gets all images."

    def _make(self, study: Study, given: dict) -> str:
        inside = given["only"] is not None
        name = given["only"] if inside else given["except"]
        # The newest of that name.
        selection = Selection.objects.filter(study=study, name=name).first()
        if selection is None:
            raise CommandError(f"The study has no selection “{name}”. Choose images under Data.")
        made = groups.make_group(
            study=study, name=given["name"], selection=selection, inside=inside
        )
        return f"{made.name}: {made.images_in_words}."

    def _put(self, study: Study, given: dict) -> str:
        group = None if given["group"] == "-" else _group(study, given["group"])
        members = []
        for name in given["person"]:
            member = Membership.objects.filter(study=study, name=name).first()
            if member is None:
                raise CommandError(f"The study has nobody of the name “{name}”.")
            members.append(member)
        for member in members:
            groups.put(member=member, group=group)
        return f"{len(members)} moved to {group.name if group else 'no group'}."

    def _delete(self, study: Study, given: dict) -> str:
        return groups.delete_group(group=_group(study, given["name"]))


def _group(study: Study, name: str) -> Group:
    group = Group.objects.filter(study=study, name=name).first()
    if group is None:
        raise CommandError(f"The study has no group “{name}”.")
    return group

"""`manage.py groups STUDY list|make|put|delete`: who labels which images."""

from django.core.management import CommandError

from annotations.management.command import StudyCommand
from annotations.models import Group, Membership, Selection, Study
from annotations.studies import groups


class Command(StudyCommand):
    help = "List a study's groups, make or delete one, or put people into one."

    def arguments(self, add) -> None:
        add.verb("list", "print each group with its images and its people")
        make = add.verb("make", "make a group")
        make("name")
        images = make.parser.add_mutually_exclusive_group(required=True)
        images.add_argument("--only", metavar="SELECTION", help="its people get these images")
        images.add_argument("--except", metavar="SELECTION", help="they get all but these")
        put = add.verb("put", "put people into a group")
        put("group", "the group's name; “-” for none")
        put("person", "names as the page of people shows them", nargs="+")
        add.verb("delete", "delete a group; its people then get all images")("name")

    def _list(self, study, given: dict) -> str:
        rows = [
            f"{row.name}: {row.images_in_words} ({row.selection.images}); "
            f"people: {row.members.filter(removed_at=None).count()}"
            for row in groups.groups_of(study)
        ]
        return "\n".join(rows) or "There are no groups: everybody gets all images."

    def _make(self, study, given: dict) -> str:
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

    def _put(self, study, given: dict) -> str:
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

    def _delete(self, study, given: dict) -> str:
        return groups.delete_group(group=_group(study, given["name"]))


def _group(study: Study, name: str) -> Group:
    group = Group.objects.filter(study=study, name=name).first()
    if group is None:
        raise CommandError(f"The study has no group “{name}”.")
    return group

"""`manage.py site FOLDER --from CARD…`: signed cards as pages that open from disk, with the numbers as open data."""

from pathlib import Path

from django.utils import timezone

from annotations.management.command import PlainCommand
from annotations.storage.written_files import write_folder
from audit.cards.site.build import BY, TITLE, build_site
from audit.cards.site.changes import read_edition
from audit.cards.site.read import read_cards


class Command(PlainCommand):
    help = "Make static pages and open data from signed cards (card --out CARD.json --licence …)."

    def arguments(self, add) -> None:
        add("folder", "a new folder for this edition", type=Path, metavar="FOLDER")
        add(
            "--from",
            "signed cards that their owners released",
            dest="cards",
            nargs="+",
            type=Path,
            required=True,
            metavar="CARD.json",
        )
        add("--since", "the folder of an earlier edition", type=Path, metavar="FOLDER")
        add.many("--key", "a public key that cards may be signed with, beside ours", metavar="KEY")
        add("--title", "of the site", default=TITLE)
        add("--by", "who publishes it, for the citation", default=BY)

    def handle(self, *, folder, cards, since, title, by, key, **options) -> str:
        before = None if since is None else read_edition(since)
        found = read_cards(cards, key)
        files = build_site(found, title=title, by=by, before=before, today=timezone.localdate())
        write_folder(folder, files)
        size = sum(map(len, files.values())) / 1e6
        return (
            f"{len(found)} cards, {len(files)} files, {size:.1f} MB. Open {folder / 'index.html'}."
        )

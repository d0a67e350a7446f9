"""`manage.py retro_audit TABLE --card CARD`: which places of a published table of a judge's scores stand."""

from dataclasses import asdict
from pathlib import Path

from django.utils import timezone

from annotations.management.command import PlainCommand, as_json
from audit.cards.certificate import check_certificate, read_certificate
from audit.cards.retro import audit_table, band_of, read_models, table_words


class Command(PlainCommand):
    help = "Read a published table of a judge's scores again, with what its card says of newer generators."

    def arguments(self, add) -> None:
        add("table", "CSV with the columns model, date, score", type=Path)
        add("--card", "a signed card of the judge", type=Path, required=True, metavar="FILE")
        add.json()

    def handle(self, *, table, card, json, **options) -> str:
        found = read_certificate(card)
        _, checked = check_certificate(found, timezone.now().date(), str(found.get("key", "")))
        band = band_of(found["card"])
        rows = audit_table(read_models(table), band)
        if json:
            return as_json({"band": asdict(band), "models": rows, "card": checked})
        return "\n".join([*table_words(rows, band), *checked])

"""What engines answered about images, as `Look` rows: one judge asks, every judge reads it again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import TextField
from django.db.models.functions import Cast

from annotations.database.json_text import loaded
from judges.models import Look, MadeLook
from jurybox_judging.protocols import Want
from jurybox_judging.stored_form import answer_from_json


@dataclass(frozen=True, slots=True)
class LookTable:
    """Where looks are stored: those at images, or at pictures made from them. `about`: the column of what
    was looked at."""

    model: Any
    about: str

    def stored_answers(
        self, *, engine: str, wanted: Mapping[int, Mapping[str, Want]]
    ) -> Iterator[tuple[int, str, Any]]:
        """`wanted` by image and key; yields image, key and answer of those that are stored."""
        keys = {key for wants in wanted.values() for key in wants}
        rows = self.model.objects.filter(
            engine=engine, want__in=keys, **{f"{self.about}__in": wanted}
        )
        told = rows.values_list(f"{self.about}_id", "want", Cast("told", TextField()))
        for image, key, text in told:
            if key in wanted[image]:
                yield image, key, answer_from_json(wanted[image][key], loaded(text))

    def row(self, image: int, **columns: Any) -> Any:
        return self.model(**{f"{self.about}_id": image}, **columns)

    def save(self, rows: Sequence[Any]) -> None:
        self.model.objects.bulk_create(rows, ignore_conflicts=True)


OF_IMAGES = LookTable(Look, "image")
OF_MADE_PICTURES = LookTable(MadeLook, "picture")

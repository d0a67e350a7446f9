"""Rows as they came, which pandas, polars and Altair take as they are."""

from __future__ import annotations

import html
from typing import Any

SHOWN = 20


class Rows(list[dict[str, Any]]):
    """A list of rows; each is a dictionary. Needs no library; `pandas()` and `polars()` need theirs."""

    @property
    def columns(self) -> list[str]:
        return list(dict.fromkeys(name for row in self for name in row))

    def where(self, **wanted: Any) -> Rows:
        """The rows that have all these values."""
        return Rows(
            row for row in self if all(row.get(name) == value for name, value in wanted.items())
        )

    def column(self, name: str) -> list[Any]:
        return [row.get(name) for row in self]

    def pandas(self) -> Any:
        import pandas

        return pandas.DataFrame(list(self), columns=self.columns)

    def polars(self) -> Any:
        import polars

        return polars.DataFrame(list(self), schema=self.columns, infer_schema_length=None)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.columns)
        body = "".join(
            "<tr>"
            + "".join(f"<td>{_format_cell(row.get(name))}</td>" for name in self.columns)
            + "</tr>"
            for row in self[:SHOWN]
        )
        more = f"<p>… {len(self):,} rows</p>" if len(self) > SHOWN else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _format_cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.3f}" if isinstance(value, float) else html.escape(str(value))

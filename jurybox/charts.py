"""Charts of a report's tables, to be changed further: they are plain Altair."""

from __future__ import annotations

from typing import Any

from audit.statistic_names import STATISTICS
from jurybox.rows import Rows


def over_time(rows: Rows, statistic: str) -> Any:
    """One line for each judge, an interval for each generator, and the band within which a judge is in
    line with people."""
    import altair as alt

    drawn = [row for row in rows if row["value"] is not None and row["release_date"]]
    if not drawn:
        raise ValueError("No chart: it takes generators with release dates, labels and scores.")
    known = STATISTICS.get(statistic)
    name = known.name if known else statistic
    base = alt.Chart(alt.Data(values=drawn)).encode(
        x=alt.X("release_date:T", title="release of the generator"),
        color=alt.Color("judge:N", title="judge"),
        tooltip=[f"{field}:N" for field in ("judge", "generator", "release_date", "value", "n")],
    )
    value = alt.Y("value:Q", title=name, scale=alt.Scale(zero=False))
    layers = [
        base.mark_line(opacity=0.5).encode(y=value),
        base.mark_rule().encode(y=alt.Y("low:Q", title=name), y2="high:Q"),
        base.mark_point(filled=True, size=60).encode(y=value),
    ]
    if known and known.band:
        edges = alt.Data(values=[{"low": -known.band, "high": known.band}])
        band = alt.Chart(edges).mark_rect(opacity=0.12, color="gray")
        layers.insert(0, band.encode(y=alt.Y("low:Q", title=name), y2="high:Q"))
    return alt.layer(*layers).properties(width=480, height=260)

"""A chart that breaks the schema of its language fails the test that makes it."""

import pytest

from audit.charts import style
from audit.charts.when_used import alt


def test_a_chart_is_held_against_the_schema_once_it_is_whole(monkeypatch):
    wrong = alt.Chart(alt.Data(values=[]), width="wide").mark_line()
    with pytest.raises(alt.utils.schemapi.SchemaValidationError):
        style.configured(wrong, "light", names=False)
    monkeypatch.setattr(style, "CHECK", False)
    assert style.configured(wrong, "light", names=False)["width"] == "wide"

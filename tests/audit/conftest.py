import pytest

from audit.charts import style


@pytest.fixture(autouse=True)
def charts_are_checked(monkeypatch):
    """Every chart that these tests make is held against Vega-Lite's schema."""
    monkeypatch.setattr(style, "CHECK", True)

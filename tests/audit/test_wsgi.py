"""What is imported when: the web server has all at hand, other programs only what they need."""

from __future__ import annotations

from tests.audit.test_settings import start


def test_charts_are_ready_for_visitors_and_cost_commands_nothing(tmp_path):
    code = (
        "import sys, audit.urls; print('altair' in sys.modules);"
        "import audit.wsgi; print('altair' in sys.modules)"
    )
    ended = start(tmp_path, code)
    assert ended.stdout.split() == ["False", "True"], ended.stderr

"""While strangers hold hundreds of connections and try passwords, people get their pages.

`make siege` does it with 1,500 bodies, 2,500 idle connections and 200 who log in, and measures."""

from __future__ import annotations

import pytest

from tests.bench.bench_siege import STUDY, People, strangers
from tests.bench.labelling_server import Installation

pytestmark = pytest.mark.nightly(
    "hundreds of connections at a real server; test_limits.py has each limit"
)


def test_besieged_everybody_gets_the_label_page_and_no_process_dies():
    with Installation("sqlite", {"LOG_LEVEL": "ERROR"}, **STUDY) as there:
        before = there.processes()
        with strangers(there.port, bodies=150, idle=300, log_ins=20):
            people = People(there.port, there.cookies[:4])
            people.run(pages=5)
        assert people.without == []
        assert len(people.waits) == 20
        assert there.processes() == before

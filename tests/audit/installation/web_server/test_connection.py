"""When somebody who is sent an answer reads it too slowly: the clock is what the test says."""

from types import SimpleNamespace

import pytest

from audit.installation.web_server.connection import Connection


@pytest.mark.parametrize(
    ("quiet", "taken", "poured", "too_slowly"),
    [
        # Nothing was read for a minute, or for longer.
        (60, 60, 0, False),
        (61, 61, 10**6, True),
        # After a minute of grace, 1,000 bytes a second: 10,000 after 70 seconds.
        (0, 70, 10_000, False),
        (0, 70, 9_999, True),
    ],
)
def test_who_stops_reading_or_reads_less_than_a_thousand_bytes_a_second_is_cut_off(
    quiet, taken, poured, too_slowly
):
    connection = Connection.__new__(Connection)
    now = 1000.0
    connection.last_activity = now - quiet
    connection._pours_since, connection._poured = now - taken, poured
    assert connection._reads_too_slowly(now) is too_slowly


def test_the_time_of_an_answer_begins_when_it_is_first_looked_at():
    connection = Connection.__new__(Connection)
    connection.last_activity, connection._poured = 990.0, 5
    assert not connection._reads_too_slowly(1000.0)
    assert (connection._pours_since, connection._poured) == (1000.0, 0)


@pytest.mark.parametrize(
    ("quiet", "taken", "received", "overdue"),
    [
        (30, 60, 0, False),
        (31, 60, 10**6, True),
        # After a minute of grace, 1,000 bytes a second: 10,000 after 70 seconds.
        (0, 70, 10_000, False),
        (0, 70, 9_999, True),
    ],
)
def test_who_sends_a_body_slower_than_a_thousand_bytes_a_second_is_cut_off(
    quiet, taken, received, overdue
):
    connection = Connection.__new__(Connection)
    now = 1000.0
    connection._lingers_since, connection.total_outbufs_len = 0.0, 0
    connection._asking, connection.requests = False, []
    connection.last_activity = now - quiet
    connection.request = SimpleNamespace(
        began=now - taken, headers_finished=True, body_bytes_received=received
    )
    assert connection.is_overdue(now) is overdue

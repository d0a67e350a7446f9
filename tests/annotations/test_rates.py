"""An allowance in the database: so many at once, one more after each while, never more."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from django.db import connections
from django.test import RequestFactory

from annotations import rates
from annotations.errors import TooOften
from annotations.models import RateCount
from annotations.rates import Rate

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]
RATE = Rate("test", free=3, every=timedelta(seconds=10))


def test_so_many_are_free_and_then_one_after_each_while(clock):
    assert [RATE.take("a") for _ in range(5)] == [True, True, True, False, False]
    assert RATE.seconds_left("a") == 10
    clock(9.9)
    assert not RATE.take("a")
    clock(0.2)
    assert RATE.take("a")
    assert not RATE.take("a")


def test_what_was_given_back_can_be_taken_again():
    for _ in range(3):
        RATE.take("a")
    RATE.give_back("a")
    assert [RATE.take("a"), RATE.take("a")] == [True, False]


def test_each_has_an_allowance_of_their_own_and_the_table_names_nobody():
    for _ in range(3):
        RATE.take("10.1.2.3")
    assert RATE.take("10.1.2.4")
    assert Rate("other", free=3, every=timedelta(seconds=10)).take("10.1.2.3")
    assert "10.1.2" not in str(RateCount.objects.values_list())


def test_the_refusal_says_how_long_to_wait():
    for _ in range(3):
        RATE.take_or_refuse("a")
    with pytest.raises(TooOften, match="Wait 10 seconds") as refused:
        RATE.take_or_refuse("a")
    assert refused.value.status == 429


def test_a_clock_that_was_wrong_keeps_nobody_out_for_years(clock):
    clock(60 * 60 * 24 * 365)
    RATE.take("a")
    clock(-60 * 60 * 24 * 365)
    assert RATE.take("a")


def test_old_counts_are_deleted(clock):
    RATE.take("a")
    clock(9)
    RATE.take("b")
    clock(2)
    assert rates.delete_old() == 1
    assert RateCount.objects.count() == 1


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("10.0.0.1", "10.0.0.1"),
        ("2001:db8:0:7::1", "2001:db8:0:7::/64"),
        ("2001:db8:0:7:ffff::2", "2001:db8:0:7::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:10.0.0.1", "10.0.0.1"),
        ("", ""),
        ("unix:", "unix:"),
    ],
)
def test_the_network_of_an_address(address, network):
    assert rates.network(RequestFactory(REMOTE_ADDR=address).get("/")) == network


@pytest.mark.django_db(transaction=True)
def test_of_many_at_once_no_more_get_through():
    together, taken = threading.Barrier(12), []

    def take():
        together.wait()
        try:
            taken.append(RATE.take("a"))
        finally:
            connections.close_all()

    threads = [threading.Thread(target=take) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == [False] * 9 + [True] * 3

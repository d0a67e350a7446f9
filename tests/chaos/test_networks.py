"""What the chaos with networks needs, it names; what it made, it takes away."""

from __future__ import annotations

import os
import socket
import subprocess

import pytest

from tests.chaos import faults, networks


def test_without_root_it_is_not_tried_and_says_why(monkeypatch):
    monkeypatch.setattr(networks.os, "geteuid", lambda: 1000)
    words, found = faults.suffer("networks", database="postgres", seed=1)
    assert "networks of their own" in words
    assert found == [(True, "NOT TRIED: this needs root, for network namespaces")]


def test_a_cut_link_is_cut_and_a_mended_one_carries_again():
    try:
        networks.expect_right()
    except networks.Untried as lacking:
        pytest.skip(str(lacking))
    with networks.Networks() as made:
        with made.inside("base"):
            server = socket.create_server((made.address("base"), 0))
        address = server.getsockname()
        made.cut("base")
        with made.inside("web"), pytest.raises(OSError):  # no route, or no answer
            socket.create_connection(address, timeout=0.5)
        made.mend("base")
        made.slow("base")
        made.mend("base")
        with made.inside("web"), socket.create_connection(address, timeout=30):
            pass
        server.close()
    left = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True)
    assert f"jb{os.getpid()}-" not in left.stdout

"""Whom judges may ask: any port of this machine only where the operator says so."""

import pytest

from judges import servers
from jurybox_judging.errors import EngineRefused


@pytest.mark.parametrize(
    ("allowed", "url", "may_be_asked"),
    [
        (["loopback"], "http://127.0.0.1:6379/v1", True),
        (["loopback"], "http://10.0.0.1:6379/v1", False),
        (["loopback:8001"], "http://127.0.0.1:8001/v1", True),
        (["loopback:8001"], "http://localhost:8001/v1", True),
        (["loopback:8001"], "http://[::1]:8001/v1", True),
        (["loopback:8001"], "http://127.0.0.1:6379/v1", False),
        (["loopback:8001"], "http://127.0.0.1/v1", False),
        (["loopback:8001"], "http://10.0.0.1:8001/v1", False),
        (["loopback:80"], "http://127.0.0.1/v1", True),
        (["loopback:443"], "https://127.0.0.1/v1", True),
        ([], "http://127.0.0.1:8001/v1", False),
        (["https://api.openai.com"], "http://127.0.0.1:443/v1", False),
    ],
)
def test_a_port_of_this_machine_is_open_where_it_is_named(settings, allowed, url, may_be_asked):
    settings.JUDGE_SERVERS = allowed
    if may_be_asked:
        servers.check_server(url)
    else:
        with pytest.raises(EngineRefused, match="add the address to JUDGE_SERVERS"):
            servers.check_server(url)


def test_a_port_of_this_machine_is_never_sent_the_secret(settings):
    settings.JUDGE_SERVERS = ["loopback:8001"]
    settings.OPENAI_API_KEY = "sk-never-to-be-seen"
    assert servers.secret_for(servers.check_server("http://127.0.0.1:8001/v1")) == ""

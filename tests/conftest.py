import pytest

from tests import making


@pytest.fixture(autouse=True)
def media(settings, tmp_path):
    """Pictures of one test never meet those of another."""
    settings.MEDIA_ROOT = tmp_path / "media"
    return settings.MEDIA_ROOT


@pytest.fixture
def study(db):
    """Four prompts by two generators: eight labelled-by-nobody images."""
    return making.study()


@pytest.fixture
def alice(study):
    """Owns the study."""
    return making.person(study, "alice", role="owner")


@pytest.fixture
def bob(study):
    """Labels in it."""
    return making.person(study, "bob")


@pytest.fixture
def charlie(study):
    """Labels in it too."""
    return making.person(study, "charlie")


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice.user)
    return client


@pytest.fixture
def as_bob(client, bob):
    client.force_login(bob.user)
    return client

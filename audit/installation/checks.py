"""What `manage.py check --deploy` says about an installation that others are to reach."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core import checks


@checks.register(checks.Tags.security, deploy=True)
def proxies_are_named(**kwargs: Any) -> list[checks.CheckMessage]:
    if not settings.IN_PRODUCTION or settings.TRUSTED_PROXIES:
        return []
    return [
        checks.Error(
            "TRUSTED_PROXIES is empty: what the proxy that ends TLS says is not believed, so nobody "
            "gets in over https.",
            hint="Set TRUSTED_PROXIES to the address from which the proxy connects, like 127.0.0.1.",
            id="jurybox.E001",
        )
    ]

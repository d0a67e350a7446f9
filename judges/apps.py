from __future__ import annotations

from typing import TYPE_CHECKING

from django.apps import AppConfig

from jurybox_judging import host

if TYPE_CHECKING:
    from jurybox_judging.host import Host


class JudgesConfig(AppConfig):
    name = "judges"

    def ready(self) -> None:
        from judges.intake import personal_data

        personal_data.listen()
        host.use(_installation)


def _installation() -> Host:
    from judges.host import Installation

    return Installation()

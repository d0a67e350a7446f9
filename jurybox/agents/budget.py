"""How many images the judges that an agent starts may score: set by who starts the server."""

from __future__ import annotations

from typing import Any

from jurybox.client import Client
from jurybox.connection import JuryboxError


class Budget:
    def __init__(self, most_images: int) -> None:
        self.left = most_images

    def take(self, client: Client, study: str, judge: str) -> int:
        """The images that this judge would score, if the budget allows them."""
        offer = next((row for row in client.list_judge_offers(study) if row["name"] == judge), None)
        if offer is None:
            raise JuryboxError(f"There is no judge “{judge}”. list_judges names those there are.")
        fit: dict[str, Any] = dict(offer["fit"])
        if not fit["scorable"]:
            reasons = "; ".join(row["reason"] for row in fit["obstacles"][:3])
            raise JuryboxError(f"{judge} can score no image of this study. {reasons}".strip())
        # Of many prompts some were looked at; the others are taken to be like them.
        images = -(-fit["scorable"] * fit["prompts_in_all"] // max(fit["prompts"], 1))
        if images > self.left:
            raise JuryboxError(
                f"{judge} would score {images} images; {self.left} are left of this server's budget. Who "
                "started it can give more with --most-images."
            )
        self.left -= images
        return int(images)

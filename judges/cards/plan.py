"""What a card will take, before it begins: pictures, time and price."""

from __future__ import annotations

from typing import Any

from django.db.models import Avg, Count, Sum

from judges.cards.pictures import DrawnImages
from judges.models import Look, Run, ServerUse

NEVER_TIMED = "it has no image whose seconds are known"
NEVER_PRICED = "no request to its server has a known price yet"


def plan(drawn: DrawnImages) -> dict[str, Any]:
    """`seconds` and `cost`: numbers, or why they are not known."""
    run = drawn.run
    if reason := run.judge.why_no_look:
        return {"images": 0, "pictures": 0, "known": 0, "asked": 0, "why_not": reason}
    wanted, pending = len(drawn.wanted_pictures), len(drawn.open_pictures())
    seconds = seconds_of_picture(run)
    price = cost_of_picture(run)
    return {
        "images": len(drawn.rows),
        "pictures": wanted,
        "known": wanted - pending,
        "asked": pending,
        "seconds": NEVER_TIMED if seconds is None else seconds * pending,
        "cost": price if isinstance(price, str) else price * pending,
    }


def seconds_of_picture(run: Run) -> float | None:
    """On average, as the study's images took it."""
    return run.scores.filter(seconds__gt=0).aggregate(mean=Avg("seconds"))["mean"]


def cost_of_picture(run: Run) -> float | str:
    """Requests for an image × the average price of a request to these models; 0 without a server."""
    asking = {
        facts["key"]: facts.get("checkpoint", "")
        for facts in run.judge.facts.values()
        if facts.get("engine") == "OpenAIServer"
    }
    if not asking:
        return 0.0
    cost = 0.0
    for key, model in asking.items():
        looks = Look.objects.filter(image__study=run.study_id, engine=key).order_by()
        counted = looks.aggregate(looks=Count("pk"), images=Count("image", distinct=True))
        used = ServerUse.objects.filter(model=model).aggregate(n=Sum("requests"), cost=Sum("cost"))
        if not (counted["images"] and used["n"] and used["cost"]):
            return NEVER_PRICED
        cost += counted["looks"] / counted["images"] * used["cost"] / used["n"]
    return cost


def plan_words(planned: dict[str, Any]) -> str:
    if "why_not" in planned:
        return f"No picture is made: {planned['why_not']}."
    line = (
        f"{planned['pictures']:,} pictures made from {planned['images']:,} images; "
        f"{planned['known']:,} are scored, {planned['asked']:,} to ask."
    )
    if not planned["asked"]:
        return line
    seconds, cost = planned["seconds"], planned["cost"]
    line += (
        f" Time: unknown, {seconds}."
        if isinstance(seconds, str)
        else f" Time: about {_duration(seconds)}."
    )
    if isinstance(cost, str):
        return f"{line} Price: unknown, {cost}."
    return f"{line} Price: {f'about {cost:,.2f}' if cost else 'none, it asks no server'}."


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{seconds / 60:,.0f} min" if seconds < 5_400 else f"{seconds / 3_600:,.1f} h"

"""Which images may the cheapest judge decide, which need the next one, and which need people?"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from django.utils.translation import gettext_noop

from annotations.errors import Refused
from annotations.models import Study
from annotations.stored_answers.question import Question, choose, write
from audit.questions.jury.question import Bench, bench_of
from audit.reports import freshness
from audit.reports.options import sign
from judges.cards.plan import seconds_of_picture
from judges.names import runs_by_name
from jurybox_stats.decisions import cascade
from jurybox_stats.estimate import Undefined

PEOPLE = "people"
SECONDS_OF_PEOPLE = 30.0
SECONDS, GIVEN = "seconds", "given"
RISKS = {"0.02": "2 %", "0.05": "5 %", "0.1": "10 %", "0.2": "20 %"}
INTERVAL = "Hoeffding’s or Bentkus’s bound of 5 % for shares, each prompt counts once; bars tested from the strictest down"
NO_PRICE = "It is not known how long any judge takes for an image here. Write their prices."
PRICE = re.compile(r"\d+(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Parameters:
    risk: str = choose(gettext_noop("decided wrongly at most"), lambda study, body: RISKS, "0.1")
    prices: str = write(
        gettext_noop("prices of an image"),
        gettext_noop("Prices and order"),
        gettext_noop(
            "JUDGE=PRICE with commas between, in the order in which they are asked, and people=PRICE. Empty: seconds."
        ),
        "prices",
    )

    def __post_init__(self) -> None:
        if self.risk not in RISKS:
            raise Refused(f"“{self.risk}” is none of these shares: {', '.join(RISKS)}.")


def compute_cascade(study: Study, parameters: Parameters) -> dict[str, Any]:
    computed, bench = bench_of(study)
    prices = _read_prices(parameters.prices, bench) or _seconds(study, bench)
    people = prices.pop(PEOPLE, SECONDS_OF_PEOPLE)
    if not prices:
        raise Refused(NO_PRICE)
    places = [bench.names.index(name) for name in prices]
    planned = cascade.plan(
        bench.scores[places],
        bench.yes,
        bench.prompts,
        bench.tuning,
        prices=np.array([*prices.values()]),
        price_of_people=people,
        risk=float(parameters.risk),
    )
    if isinstance(planned, Undefined):
        raise Refused(f"No cascade can be tested yet: {planned.reason}.")
    return {
        "study": study.slug,
        "simulated": study.simulated,
        "question": computed.question,
        "risk": float(parameters.risk),
        "unit": GIVEN if parameters.prices else SECONDS,
        "judges": [{"judge": name, "price": price} for name, price in prices.items()],
        "people": people,
        "prompts": planned.prompts,
        "images": int((~bench.tuning).sum()),
        "bars": [{**asdict(bar), "by_people": bar.by_people} for bar in planned.bars],
        "chosen": planned.chosen,
        "signature": sign(hashlib.sha256(computed.paired.digest.encode()).hexdigest(), INTERVAL),
    }


def _read_prices(text: str, bench: Bench) -> dict[str, float]:
    prices: dict[str, float] = {}
    for part in filter(str.strip, text.split(",")):
        name, price = (side.strip() for side in part.rpartition("=")[::2])
        if not name or not PRICE.fullmatch(price):
            raise Refused(f"“{part.strip()}” is no price: write JUDGE=PRICE, as vqascore=0.02.")
        if name != PEOPLE and name not in bench.names:
            raise Refused(f"There is no judge “{name}” here: {', '.join(bench.names)}.")
        prices[name] = float(price)
    if prices and PEOPLE not in prices:
        raise Refused("Write what an answer of people costs, too: people=PRICE.")
    return prices


def _seconds(study: Study, bench: Bench) -> dict[str, float]:
    """Of the judges whose time is known, the quickest first."""
    runs: Mapping[str, Any] = runs_by_name(study)
    known = {name: seconds_of_picture(runs[name]) for name in bench.names}
    timed = {name: seconds for name, seconds in known.items() if seconds}
    return dict(sorted(timed.items(), key=lambda one: one[1]))


CASCADE = Question(
    name="cascade",
    compute=compute_cascade,
    parameters=Parameters,
    facts=lambda study, _: freshness.rows_now(study),
)
QUESTIONS = (CASCADE,)

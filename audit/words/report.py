"""A report as sentences and as a text table, made from its body by fixed rules."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.utils.translation import gettext

from annotations.language.counts import count_things
from audit.statistic_names import MAIN, stored_statistic
from audit.view import MANY, by_urgency
from audit.words import drift_state, titles, verdicts
from audit.words.numbers import align_columns, cell
from judges.names import title
from jurybox_stats import enough
from jurybox_stats.instrument.verdict import was_stopped

FEW = "few"
NO_SCORES = "No judge has scored this study yet."
NO_LABELS = "Nobody has labelled this study yet, so there is nothing to compare judges with."
NO_WHOLE_RUN = "No judge’s run has come to its end, so there is no verdict yet."
ONLY_WORDS = "No score can be compared with words: ask a question that is answered by yes or no, or by a number."


def drifting(body: dict[str, Any]) -> bool | None:
    """Whether any judge has drifted; None without judges."""
    if not body["judges"]:
        return None
    return any(judge["drift"]["alarm"] for judge in body["judges"].values())


def what_is_lacking(body: dict[str, Any]) -> str:
    """Why judges have no findings yet; empty where something can."""
    if not body["judges"]:
        return NO_SCORES
    if body["people"]["annotations"]:
        return ""
    return " ".join([*in_words(body["people"]), ONLY_WORDS]) if _words_of(body) else NO_LABELS


def _words_of(body: dict[str, Any]) -> dict[str, Any]:
    """Older reports did not count them."""
    return body["people"].get("in_words", {})


def in_words(people: dict[str, Any]) -> list[str]:
    """A sentence for each question that people answered in words."""
    return [
        f"{_n(counted['answers'], 'answer')} to “{question}”, about "
        f"{_n(counted['images'], 'image')}: words, which no judge is compared with."
        for question, counted in people.get("in_words", {}).items()
    ]


def _n(count: int, one: str) -> str:
    return count_things(count, f"{one}s")


def tally(judges: dict[str, dict[str, Any]]) -> str:
    """How many judges can be trusted, and what is to be said of all of them."""
    return " ".join([verdicts.count_trusted(judges), *map(gettext, _of_all(judges))])


def _of_all(judges: dict[str, dict[str, Any]]) -> list[str]:
    """Why no judge at all drifts or holds."""
    known = [judge["drift"] for judge in judges.values() if "others" in judge["drift"]]
    return [drift_state.NO_JUDGE] * bool(known and all(map(drift_state.people_changed, known)))


def sentences(body: dict[str, Any]) -> list[str]:
    """One sentence for each judge, the drifted ones first."""
    if lacking := what_is_lacking(body):
        return [lacking]
    # Of many judges the tally says it.
    first = _of_all(body["judges"]) if len(body["judges"]) <= MANY else []
    return [*first, *_states(body["judges"])]


def headline(body: dict[str, Any]) -> str:
    """What comes first. A run that was stopped has none."""
    if lacking := what_is_lacking(body):
        return lacking
    whole = {
        name: judge for name, judge in body["judges"].items() if not was_stopped(judge["drift"])
    }
    if not whole:
        return NO_WHOLE_RUN
    found = _states(whole)
    if len(whole) > MANY:
        return f"{tally(whole)} {found[0]}"
    return " ".join([*_of_all(whole), *found[:2]])


def _states(judges: dict[str, dict[str, Any]]) -> list[str]:
    """The drifted ones first, the furthest of them before the others."""
    return [drift_state.sentence(title(name), judges[name]) for name in by_urgency(judges)]


def cannot_tell(people: dict[str, Any]) -> list[str]:
    """A sentence for each question with answers "can't tell"; older reports did not count them."""
    return [
        f"{counted['n']} of {counted['of']} answers to “{question}” are “can’t tell”: no statistic "
        "counts them."
        for question, counted in people.get("cannot_tell", {}).items()
    ]


def of_draws(drawn: dict[str, Any]) -> list[str]:
    """Labels that were drawn with unequal chances: which numbers are missing, and which labels."""
    reason = drawn["reason"]
    lines = [
        f"{reason[0].upper()}{reason[1:]}.",
        f"{drawn['labelled']} of {drawn['drawn']} images that were drawn have labels"
        + (f", and {drawn['before']} had some before." if drawn["before"] else "."),
    ]
    if drawn["left_out"]:
        lines.append(
            f"{_n(drawn['left_out'], 'labelled image')} left out: not drawn, so nobody knows with "
            "which chance they were labelled."
        )
    if drawn["never_drawn"]:
        lines.append(
            f"Nothing is said of {_n(drawn['never_drawn'], 'image')} that could not be drawn."
        )
    return lines


def missing(body: dict[str, Any]) -> list[str]:
    lines = cannot_tell(body["people"])
    if body["people"]["annotations"]:
        lines += in_words(body["people"])
    if drawn := body.get("drawn"):
        lines += of_draws(drawn)
    gaps = body["missing"]
    images = sum(generator["images"] for generator in body["generators"])
    if gaps["labels"]:
        lines.append(f"{gaps['labels']} of {images} images are unlabelled.")
    if gaps["undecided"]:
        lines.append(
            f"{gaps['undecided']} of {images} images have no reference: people are split evenly."
        )
    for name, scores in gaps["scores"].items():
        if scores["absent"]:
            lines.append(f"{title(name)}: {scores['absent']} of {images} images not scored yet.")
        if scores["failed"]:
            lines.append(f"{title(name)}: {scores['failed']} of {images} could not be scored.")
    for name, answers in gaps.get("assumed", {}).items():
        lines.append(
            f"{title(name)}: {answers} answers were blank or not among the tokens that its server "
            "lists; they count 0, as in the official code."
        )
    for generator in body["generators"]:
        if generator["release_date"] is None:
            lines.append(f"{generator['name']} has no release date, so it is not on the timeline.")
    return lines


def not_drawn(body: dict[str, Any], judges: Collection[str], *, dated: bool = True) -> str:
    """Names the generators that charts leave out because too few images are labelled and scored;
    those without a release date (`dated`) are named elsewhere."""
    images: dict[str, int] = {}
    for generator in body["generators"]:
        name = generator["name"]
        counts = [body["judges"][judge]["by_generator"][name]["n"] for judge in judges]
        few = [n for n in (*counts, generator["human_score"]["n"]) if 0 < n < enough.IMAGES]
        if few and (generator["release_date"] or not dated):
            images[name] = min(few)
    if not images:
        return ""
    named = ", ".join(f"{name} ({n})" for name, n in images.items())
    return (
        f"Not drawn, because fewer than {enough.IMAGES} images have labels and a judge’s score: "
        f"{named}."
    )


def signature(body: dict[str, Any]) -> list[tuple[str, str]]:
    """How the report was computed, as pairs of term and value for a footnote."""
    signed = body["signature"]
    rows = [
        ("Jurybox", signed["version"]),
        ("question", f"{body['question']} ({', '.join(signed['form']) or 'no answers yet'})"),
        *_scale_of(body),
        ("reference", signed["consensus"]),
        (
            "interval",
            f"{signed['interval']}; {signed['resamples']} resamples, seed {signed['seed']}",
        ),
        *([("clusters", signed["clusters"])] if "clusters" in signed else []),
        *([("drift", signed["drift"])] if "drift" in signed else []),
    ]
    for name, known in signed["judge_facts"].items():
        options = ", ".join(f"{key}={value}" for key, value in sorted(known["options"].items()))
        words = f"{known['method']} over {known['engine']}; {options or 'no options'}"
        if known["threshold"]:
            cuts = " / ".join(f"{cut:.4g}" for cut in known["threshold"]["from"])
            words += f"; yes from {cuts or '–'} ({known['threshold']['chosen']})"
        if against := body["judges"][name]["drift"].get("reference"):
            words += f"; offsets beside {against['rule']} ({', '.join(against['generators'])})"
        if read := body["judges"][name]["drift"].get("read"):
            words += f"; scores read {read}"
        rows.append((f"{name} · {known['fingerprint']}", words))
    rows.append(("data", signed["data"]))
    return rows


def _scale_of(body: dict[str, Any]) -> list[tuple[str, str]]:
    """Nothing for a yes or no, and for reports older than this line."""
    if body.get("positive_at") is None:
        return []
    low, high = body["range"]
    words = f"from {low:g} to {high:g}; an image counts as right from {body['positive_at']:.4g}"
    return [("scale", words)]


def as_text(body: dict[str, Any]) -> str:
    """The report for a terminal: sentences first, then one table for each judge."""
    titles.remember(body)
    lines = [f"{body['study']}, question “{body['question']}”"]
    if body["simulated"]:
        lines[0] += " (simulated)"
    many = len(body["judges"]) > MANY and not what_is_lacking(body)
    lines += ["", *([tally(body["judges"])] if many else []), *sentences(body)]
    for name, judge in body["judges"].items():
        lines += ["", f"{title(name)} ({name})"]
        head = ["generator", "released", "n", "human", "judge", *MAIN.values()]
        rows = [head]
        for generator in body["generators"]:
            rows.append(_line(generator, judge["by_generator"][generator["name"]]))
        rows.append(_line({"name": "all", "release_date": None}, judge["overall"]))
        lines += align_columns(rows)
    if any(FEW in line.split() for line in lines):
        lines += ["", f"{FEW}: from fewer than {enough.IMAGES} images no number is shown."]
    lines += remarks(body)
    lines += ["", *missing(body)] if missing(body) else []
    lines += ["", "Method", *(f"  {term}: {value}" for term, value in signature(body))]
    return "\n".join(lines)


def remarks(body: dict[str, Any]) -> list[str]:
    """What one has to know to read a number of the tables, and of which judges."""
    named: dict[tuple[str, str], list[str]] = {}
    for name, judge in body["judges"].items():
        for key in MAIN:
            if remark := judge["overall"].get(key, {}).get("remark"):
                named.setdefault((MAIN[key], remark), []).append(title(name))
    return ["", *(f"{', '.join(who)}, {of}: {told}." for (of, told), who in named.items())] * bool(
        named
    )


def _line(generator: dict[str, Any], stats: dict[str, Any]) -> list[str]:
    def text(name: str) -> str:
        estimate = stored_statistic(stats, name)
        if "value" in estimate and estimate["n"] < enough.IMAGES:
            return FEW
        shown = cell(name, estimate)
        return shown.in_words() if shown.value else "–"

    return [
        generator["name"],
        generator["release_date"] or "",
        str(stats["n"]),
        *(text(name) for name in ("human_score", "judge_score", *MAIN)),
    ]

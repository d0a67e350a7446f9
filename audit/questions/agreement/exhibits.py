"""How well people agree with each other: overall, over time, by person and by pair; and how long they take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.utils.translation import gettext, gettext_noop, ngettext

from annotations.exports.pseudonyms import naming
from annotations.models import Study
from annotations.stored_answers.question import choose
from audit import VERSION
from audit.charts import people as people_charts
from audit.exhibits import Body, Chart, Exhibits, Row, Table, row, statistics_table
from audit.questions.agreement.question import AGREEMENT
from audit.reports.people_agreement import AGAINST, CONFUSION
from audit.statistic_names import headings
from audit.words import page_sentences
from audit.words import report as report_words

BY_QUESTION = headings(
    *("mean", "percent", "unanimous", "nominal", "ordinal", "interval", "fleiss_kappa"),
    *("gwet_ac1", "icc_2k", "gwet_ac2", "weighted_kappa", "ceiling"),
)
BY_GENERATOR = headings("mean", "fleiss_kappa", "nominal", "ordinal", "interval")
IN_TIME = headings("percent", "alpha")
OF_PERSON = headings("like_others", *AGAINST, "severity", *CONFUSION, "seconds")
# Of a question that is not answered by yes or no.
WITHOUT_CLASSES = headings("like_others", *AGAINST, "severity", "seconds")
OF_PAIR = headings("share", "kappa")
PER = {"parts": gettext_noop("equal parts"), "weeks": gettext_noop("weeks")}
TITLES = {
    "course": gettext_noop("Agreement over time"),
    "others": gettext_noop("Each person against the others"),
    "times": gettext_noop("Time for an image"),
    "pairs": gettext_noop("Two people at a time"),
}
NOTES = {
    "course": "An image counts at the time of its last answer. The band is the 95 % interval.",
    "others": "The dashed line, all people together, is the human ceiling.",
    "pairs": "A dot marks two people with too few answers in common, or with only one answer.",
    "times": "The line spans the middle half of a person’s times.",
}
METHOD = gettext_noop(
    "Pairs alike: the share of pairs of answers about the same image (or atom) that are equal. Unanimous: the "
    "share of images (or atoms) with two or more answers on which all agree. α: Krippendorff’s alpha. κ: "
    "Cohen’s kappa of two people, computed if they have ten or more in common. Each person is compared with the "
    "majority of the others; images on which these tie are left out. Above the others: how much more "
    "a person says than the other people of the table on the same images. It is in points for yes or no, by "
    "least squares over images and people. Being stricter or milder is no mistake. Yes to what is right, no to "
    "what is wrong: by Dawid and Skene’s model of all answers. Nobody is taken to be right, and each person "
    "errs on all images alike. Its intervals are learned without each twentieth of the prompts. Small type: 95 "
    "% intervals; for seconds, the middle half. Answers that were excluded or withdrawn do not count. "
    "Downloaded files give people with an account a pseudonym."
)
# Pages and documents list the pairs that agree least.
PAIRS_SHOWN = 100


def _questions(study: Study, body: Mapping[str, Any]) -> dict[str, str]:
    return {one["question"]: one["words"] for one in body.get("questions", ())}


def _ways(study: Study, body: Mapping[str, Any]) -> dict[str, str]:
    return {key: gettext(words) for key, words in PER.items()} if body.get("questions") else {}


@dataclass(frozen=True, slots=True)
class View:
    """`per`: by weeks if labels came over more than two of them, unless somebody chooses."""

    question: str = choose(gettext_noop("question"), _questions)
    per: str = choose(gettext_noop("over time, by"), _ways)


def show(study: Study, body: Body, view: View, names: bool) -> Body:
    """The body with one question and one cut of time chosen. Without `names` people have pseudonyms."""
    questions = {one["question"]: one for one in body["questions"]}
    question: dict[str, Any] = questions.get(view.question) or next(iter(questions.values()), {})
    weeks = question.get("weeks", [])
    usual = "weeks" if sum("value" in week["percent"] for week in weeks) > 2 else "parts"
    shown = naming(study)
    people = (
        body["people"] if names else [_rename(one, shown(one["key"])) for one in body["people"]]
    )
    signed = {name: body[name] for name in ("data", "resamples", "seed")}
    return {
        **body,
        "study": study.slug,
        "simulated": study.simulated,
        "people": people,
        "question": question.get("question", ""),
        "per": view.per if view.per in PER else usual,
        "signature": {"version": VERSION, **signed, "judges": {}},
    }


def _rename(person: dict[str, Any], name: str) -> dict[str, Any]:
    return {"name": name, **{part: person[part] for part in ("simulated", "forms", "seconds")}}


def find_question(body: Body) -> dict[str, Any]:
    """The chosen one, with its numbers over time; empty while nothing was answered."""
    chosen = (one for one in body["questions"] if one["question"] == body["question"])
    return next(({**one, "course": one[body["per"]]} for one in chosen), {})


def sentences(body: Body) -> list[str]:
    question = find_question(body)
    if not question:
        return [
            "No answers yet: agreement is computed as soon as two people have answered about the same image."
        ]
    return page_sentences.of_people(question) + report_words.cannot_tell(body)


def charts(body: Body) -> list[Chart]:
    question = find_question(body)
    if not question:
        return []
    blanks = {name: people_charts.blank(name, body, question) for name in TITLES}
    return [
        Chart(
            name,
            title,
            partial(people_charts.CHARTS[name], body, question),
            blanks[name],
            note=NOTES[name],
            folded=name == "pairs" or bool(blanks[name]),
        )
        for name, title in TITLES.items()
    ]


def tables(body: Body) -> list[Table]:
    question = find_question(body)
    if not question:
        return []
    return [
        _by_question(body),
        _by_generator(question),
        _over_time(question),
        _people(body, question),
        _pairs(body, question),
    ]


def _by_question(body: Body) -> Table:
    rows = [
        row(
            asked["words"],
            {**asked, **asked["alpha"]},
            BY_QUESTION,
            note=gettext("%(question)s: %(answers)s answers about %(units)s")
            % {name: asked[name] for name in ("question", "answers", "units")},
        )
        for asked in body["questions"]
    ]
    return statistics_table(
        "questions", gettext_noop("By question"), gettext_noop("question"), BY_QUESTION, rows
    )


def _by_generator(question: dict[str, Any]) -> Table:
    rows = [
        row(
            made["name"],
            {**made, **made["alpha"]},
            BY_GENERATOR,
            note=ngettext("%(units)s image or atom", "%(units)s images or atoms", made["units"])
            % {"units": made["units"]},
        )
        for made in question.get("by_generator", [])
    ]
    return statistics_table(
        f"generators {question['question']}",
        gettext_noop("By generator"),
        gettext_noop("generator"),
        BY_GENERATOR,
        rows,
        folded=True,
    )


def _over_time(question: dict[str, Any]) -> Table:
    return statistics_table(
        f"course {question['question']}",
        gettext_noop("Over time"),
        gettext_noop("when"),
        IN_TIME,
        [row(_span(part), part, IN_TIME) for part in question["course"]],
        folded=True,
    )


def _people(body: Body, question: dict[str, Any]) -> Table:
    against = question.get("against", [])
    columns = OF_PERSON if any(CONFUSION[0] in one for one in against) else WITHOUT_CLASSES
    rows = [
        row(
            person["name"],
            {
                **person,
                "like_others": question["like_others"][place],
                **(against[place] if against else {}),
            },
            columns,
            note=ngettext("%(forms)s form", "%(forms)s forms", person["forms"])
            % {"forms": person["forms"]}
            + (f" · {gettext('simulated')}" if person["simulated"] else ""),
        )
        for place, person in enumerate(body["people"])
    ]
    more = body["raters"] - len(rows)
    left_out = gettext(
        "The %(rows)s people with the most answers; %(more_people)s more people answered."
    )
    return statistics_table(
        f"people {question['question']}",
        gettext_noop("Single people"),
        gettext_noop("person"),
        columns,
        rows,
        folded=True,
        notes=(left_out % {"rows": len(rows), "more_people": more},) if more > 0 else (),
    )


def _pairs(body: Body, question: dict[str, Any]) -> Table:
    rows = sorted((_pair(body, *pair) for pair in question["pairs"]), key=_least_alike)
    more = len(rows) - PAIRS_SHOWN
    left_out = gettext("The pairs that agree least. The CSV file has %(more_pairs)s more.")
    return statistics_table(
        f"pairs {question['question']}",
        gettext_noop("Pairs of people"),
        gettext_noop("people"),
        OF_PAIR,
        rows,
        notes=(left_out % {"more_pairs": more},) if more > 0 else (),
        folded=True,
        at_most=PAIRS_SHOWN,
    )


def _span(part: dict[str, Any]) -> str:
    first, last = part["first"], part["last"]
    if first[:10] != last[:10]:
        return gettext("%(low)s to %(high)s") % {"low": first[:10], "high": last[:10]}
    return (
        first[:10] if first[11:16] == last[11:16] else f"{first[:10]} {first[11:16]}–{last[11:16]}"
    )


def _pair(
    body: Body,
    first: int,
    second: int,
    shared: int,
    share: float | None,
    kappa: float | None,
    reason: str,
) -> Row:
    def estimate(value: float | None) -> dict[str, Any]:
        if value is None:
            return {"undefined": reason, "n": shared}
        return {"value": value, "low": None, "high": None, "n": shared}

    names = [body["people"][place]["name"] for place in (first, second)]
    return row(
        gettext("%(one)s and %(other)s") % {"one": names[0], "other": names[1]},
        {"share": estimate(share), "kappa": estimate(kappa)},
        OF_PAIR,
        note=gettext("%(shared)s in common") % {"shared": shared},
    )


def _least_alike(pair: Row) -> tuple[bool, float]:
    """Sorts pairs by kappa, those without one last."""
    kappa = pair.numbers[1].get("value")
    return kappa is None, 0.0 if kappa is None else kappa


EXHIBITS = Exhibits(
    question=AGREEMENT,
    title="How well do people agree with each other?",
    method=METHOD,
    sentences=sentences,
    tables=tables,
    charts=charts,
    signed=people_charts.caption,
    page="agreement",
    view=View,
    show=show,
)

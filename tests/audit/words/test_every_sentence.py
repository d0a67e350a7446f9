"""Every sentence about a report, whatever its numbers: none says what its own interval contradicts."""

import re

from hypothesis import given, settings
from hypothesis import strategies as some

from audit.view import View
from audit.words import changes, drift_state, page_sentences
from audit.words import report as report_words
from tests.audit.words.made_up import MadeUp

NUMBER = r"[+−]?\d+(?:\.\d+)?"
ESTIMATE = re.compile(rf"({NUMBER})(?: points| %)? \(({NUMBER}) to ({NUMBER})\)")
ABOVE = (
    *("too strict", "stricter on", "more lenient on", "less than before"),
    *("is ahead of it by more than chance", "People agree more"),
)
BELOW = ("too lenient", "is behind it by more than chance", "People agree less")
HOLDS_ZERO = ("no change of agreement can be told", "may be chance", "clearly off on no")
# What a sentence can be: each is said about some report.
TEMPLATES = (
    *("has drifted: ", "stricter on", "more lenient on", "tells good from bad", ", and holds."),
    *(
        "not enough data yet to tell whether it drifts",
        "more labelled image",
        "was stopped by a failure",
    ),
    *("Largest change: ", "(3 dates tested)", "alone is read otherwise"),
    *("a change may be theirs", "second answer", "It is off by", "because people’s answers moved"),
    *("if they err by slips alone. Without these it would be off",),
    *("scores newer images differently", "follows people weakly", "does not follow people"),
    *("is upside down", "not enough data yet to tell whether it follows", "is closest to people"),
    *("behind it by more than chance", "is ahead of it", "is statistically tied with it: "),
    *("as many judges are compared", "cannot be compared with it", "no test could be made"),
    *("says the same yes or no", "lie on the same side of 4", "no judge agrees with people"),
    *("with people as often", "as often is not known yet", "among themselves is not known"),
    *("is clearly lower on", "is clearly higher on", "stands out (largest "),
    *(
        "is furthest from people on",
        ", clearly below its average",
        "not clearly below",
        "has its lowest AUROC on",
    ),
    *("has enough images", "ranks an image", "its widest gap.", "widest gap, which may be chance"),
    *("Two people give the same answer", "exactly the answer that most", "People agree more"),
    *("People agree less", "no change of agreement", "has changed is not known"),
    *("How well people agree is not known", "Krippendorff", "Nobody has labelled"),
    *("No judge has scored", "is new.", "is no longer in the report", " before, “"),
)


def sentences(seed: int) -> list[str]:
    made = MadeUp(seed)
    body, newer = made.report(), made.report()
    said = [
        *report_words.sentences(body),
        report_words.headline(body),
        *page_sentences.of_judges(body),
        *page_sentences.of_slices(body, View()),
        *page_sentences.of_slices(body, View(statistic="auroc")),
        *page_sentences.of_people(made.question()),
        *changes.sentences(body, newer),
    ]
    for name, judge in body["judges"].items():
        said += [*page_sentences.of_calibration(body, name), drift_state.reason(judge["drift"])]
    return said


def as_number(text: str) -> float:
    return float(text.replace("−", "-"))


def check(sentence: str) -> None:
    for word in ("nan", "None", "inf ", "−0.0 ", "−0.000 "):
        assert word not in sentence
    estimates = [
        tuple(as_number(part) for part in found.groups()) for found in ESTIMATE.finditer(sentence)
    ]
    for value, low, high in estimates:
        assert low < high, f"an interval without width: {sentence}"
        assert low <= value <= high
    # Reasons and headlines are several sentences; a claim stands in one of its own.
    for part in re.split(r"(?<=\.) (?=[A-Za-z])", sentence):
        bounds = [found.groups() for found in ESTIMATE.finditer(part)]
        if not bounds:
            continue
        value, low, high = (as_number(text) for text in bounds[0])
        if any(words in part for words in ABOVE):
            assert low > 0 and value > 0, part
        if any(words in part for words in BELOW):
            assert high < 0 and value < 0, part
        if any(words in part for words in HOLDS_ZERO) and "gap" not in part:
            assert low <= 0 <= high, part
    assert not re.search(r"[^\d.]0(\.0+)? points[^,]*too (strict|lenient)", sentence)


@settings(max_examples=400)
@given(some.integers(0, 10**9))
def test_no_sentence_claims_what_its_interval_does_not_show(seed):
    for sentence in sentences(seed):
        check(sentence)


def test_each_kind_of_sentence_is_among_them():
    said = "\n".join(sentence for seed in range(400) for sentence in sentences(seed))
    assert [words for words in TEMPLATES if words not in said] == []


@settings(max_examples=200)
@given(some.integers(0, 10**9))
def test_a_headline_has_no_word_of_a_run_that_failed_and_begins_with_a_verdict(seed):
    body = MadeUp(seed).report()
    headline = report_words.headline(body)
    assert "stopped by a failure" not in headline
    assert "It is off by" not in headline
    assert headline

"""The ways in which a model may write one and the same answer, as GenEval 2 lists them.

A model that is allowed one token says "Yes", "yes" or " yes"; for a count it says the word or the
digit. The probabilities of the *first token* of each are added up. Two flaws are kept, since the
published numbers contain them: many tokenizers cut " 2" into a blank and a digit, so that the
blank counts for every number; and "10" begins with the token of "1". The rule "distinct_tokens" of
a `Question` leaves out blanks and repetitions; see `jurybox_judging.protocols`.
"""

from __future__ import annotations

from jurybox_judging.number_words import NUMBERS
from jurybox_judging.protocols import Question


def variants(expected: str) -> tuple[str, ...]:
    """All spellings of an answer, the official order; the first one is the answer itself.

    Yes comes in four, a count (as word or digit) in six. Any other answer is spelled as a word is.
    """
    text = expected.strip()
    if not text:
        raise ValueError("An expected answer is needed: the text is empty.")
    word = text.lower()
    if word in ("yes", "no"):
        return word.capitalize(), word, f" {word}", f" {word.capitalize()}"
    if word.isdecimal() and int(word) < len(NUMBERS):
        word = NUMBERS[int(word)]
    if word in NUMBERS:
        digits = str(NUMBERS.index(word))
        return word, word.capitalize(), f" {word}", f" {word.capitalize()}", digits, f" {digits}"
    spelled = (text, word, _capital(word), f" {text}", f" {word}", f" {_capital(word)}")
    return tuple(dict.fromkeys(spelled))


def one_word(question: str, expected: str, rule: str = "first_tokens") -> Question:
    """A question in GenEval 2's words; methods that ask alike share one look."""
    return Question(f"{question} Answer in one word.", variants(expected), rule)


def matches(said: str, expected: str) -> bool:
    """TIFA's hard verdict on one token: lower-cased, it must literally be one of the spellings.

    So "YES" and "One" pass, and "2." or "no dogs" do not.
    """
    return said.lower() in variants(expected)


def _capital(word: str) -> str:
    return word[:1].upper() + word[1:]

"""Turns a prompt in free words into atoms with questions, so that judges can check each part.

Why we keep a small grammar instead of spaCy: spaCy's English models are separate downloads, a study
must work without the network, and prompts are simple: things with counts and attributes, joined by
prepositions and verbs. First and last noun are right for all 1,000 spatial prompts of T2I-CompBench
and all 300 of its 3D set. What the grammar cannot read becomes no atom, and it never guesses a
relation. A better parser is any `Reader` (a plug-in's name in the command): it takes the
prompt and returns `AtomRecord`s. See docs/decisions/0006-own-prompt-grammar.md.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from jurybox_formats.prompt_grammar.words import (
    ADVERBS,
    COMPOUNDS,
    CONNECTIVES,
    COPULAS,
    COUNTS,
    DETERMINERS,
    OPENINGS,
    RELATIONS,
    THINGS,
    VERBS,
    existence_question,
    is_attribute,
    plural,
    singular,
)
from jurybox_formats.sources.records import AtomRecord

LONGEST = 2_000
POSITIONS = {
    words
    for words in RELATIONS
    if words not in ("with", "without", "of", "for", "from", "to", "by")
}


@dataclass(slots=True)
class NamedThing:
    """What a noun phrase names."""

    noun: str
    attributes: list[str] = field(default_factory=list)
    count: str = ""
    many: bool = False
    phrase: str = ""  # as it stands in the prompt, lower-cased: "the two red balls"

    @property
    def full_name(self) -> str:
        return plural(self.noun) if self.many else self.noun

    @property
    def be(self) -> str:
        return "Are" if self.many else "Is"


@dataclass(frozen=True, slots=True)
class Link:
    """A relation or a verb that joins two things; `other` is None for "a dog running"."""

    subject: int
    words: str
    other: int | None
    kind: str


def parse(prompt: str) -> tuple[AtomRecord, ...]:
    """The atoms of a prompt: objects, each with its count and attributes; then their relations."""
    things, links = read(prompt)
    return atoms(things, links)


def atoms(things: Sequence[NamedThing], links: Sequence[Link]) -> tuple[AtomRecord, ...]:
    made: list[AtomRecord] = []
    at: list[int] = []

    def add(kind: str, text: str, question: str, expected: str, *parents: int) -> None:
        made.append(AtomRecord(len(made), kind, text, question, expected, parents))

    for thing in things:
        at.append(len(made))
        add("object", thing.noun, existence_question(thing.noun), "Yes")
        if thing.count:
            question = f"How many {plural(thing.noun)} are in the image?"
            add("count", f"{thing.count} {thing.full_name}", question, thing.count, at[-1])
        for attribute in thing.attributes:
            text = f"{attribute} {thing.full_name}"
            add("attribute", text, f"{thing.be} the {thing.full_name} {attribute}?", "Yes", at[-1])
    for link in links:
        subject = things[link.subject]
        words = f"{subject.full_name} {link.words}"
        parents = [at[link.subject]]
        if link.other is not None:
            words += f" the {things[link.other].full_name}"
            parents.append(at[link.other])
        add(link.kind, words, f"{subject.be} the {words}?", "Yes", *parents)
    return tuple(made)


def read(prompt: str) -> tuple[list[NamedThing], list[Link]]:
    """Read the words from left to right: noun phrases, and what joins them."""
    words = _split_words(prompt)
    things: list[NamedThing] = []
    links: list[Link] = []
    subject: int | None = None
    verb = relation = ""
    place = 0
    while place < len(words):
        word = words[place]
        length = _relation_at(words, place)
        if length:
            relation = " ".join(words[place : place + length])
            place += length
        elif word in (".", ",", ";") or word in CONNECTIVES:
            if verb and subject is not None:
                links.append(Link(subject, verb, None, "verb"))
            verb = relation = ""
            if word in (".", ";"):
                subject = None
            place += 1
        elif word in COPULAS or word in ADVERBS or word.endswith("ly"):
            place += 1
        elif _is_verb(words, place, subject):
            verb = f"{verb} {word}".strip()
            place += 1
        else:
            phrase, place = _phrase(words, place)
            thing = _thing(phrase)
            if thing is None:
                _describe(phrase, things, subject)
                continue
            things.append(thing)
            here = len(things) - 1
            if subject is not None and (verb or relation):
                links.append(_link(subject, verb, relation, here))
                # "a cat on a mat under a lamp": the lamp is above the mat, unless a verb spoke.
                subject = subject if verb and not relation else here
            else:
                subject = here
            verb = relation = ""
    if verb and subject is not None:
        links.append(Link(subject, verb, None, "verb"))
    return things, links


def _split_words(prompt: str) -> list[str]:
    text = prompt[:LONGEST].lower().replace("’", "'")
    for opening in OPENINGS:
        text = text.removeprefix(opening)
    return re.findall(r"[a-z0-9][a-z0-9'-]*|[.,;]", text)


def _relation_at(words: list[str], place: int) -> int:
    """How many words the relation that begins here has; 0 for none."""
    for relation in RELATIONS:
        parts = relation.split()
        if words[place : place + len(parts)] == parts:
            return len(parts)
    return 0


def _is_verb(words: list[str], place: int, subject: int | None) -> bool:
    """After a thing: an -ing word, or a verb that is known; "a flying bird" has no subject yet."""
    word = words[place]
    if subject is None:
        return False
    if word in VERBS:
        return True
    if not word.endswith("ing") or len(word) < 5 or word in THINGS:
        return False
    before = words[place - 1] if place else ""
    return before not in DETERMINERS and before not in COUNTS and before != "and"


def _phrase(words: list[str], place: int) -> tuple[list[str], int]:
    """The words of a noun phrase, and the place of the first word after it."""
    phrase = [words[place]]
    place += 1
    while place < len(words):
        word = words[place]
        if word in DETERMINERS or word in COPULAS or word in CONNECTIVES or word in ADVERBS:
            break
        if word in (".", ";") or _relation_at(words, place) or word in VERBS:
            break
        if word == ",":
            # "a big, red ball" goes on; "a dog, a cat" does not.
            following = words[place + 1] if place + 1 < len(words) else ""
            if not (is_attribute(phrase[-1]) and following and is_attribute(following)):
                break
            place += 1
            continue
        # "a dog chasing a cat": the thing ends where the verb begins.
        named = len(phrase) > 1 or phrase[0] not in DETERMINERS | COUNTS.keys()
        if word.endswith("ing") and word not in THINGS and named and not is_attribute(phrase[-1]):
            break
        phrase.append(word)
        place += 1
    return phrase, place


def _thing(phrase: list[str]) -> NamedThing | None:
    """The last word is the thing, the words before it say how many and what it is like."""
    words = [w for w in phrase if w not in DETERMINERS and not _is_adverb(w)]
    count = ""
    if words and words[0] in COUNTS:
        count = COUNTS[words.pop(0)]
    if not words or (words[-1] in COUNTS and len(words) == 1):
        return None
    if all(is_attribute(word) for word in words) and phrase[0] not in DETERMINERS and not count:
        return None
    last = words.pop()
    head = singular(last)
    noun = [head]
    # "a red fire hydrant": the words before belong to the thing unless they describe it.
    while words and ((words[-1], head) in COMPOUNDS or not is_attribute(words[-1])):
        noun.insert(0, words.pop())
        if words and (words[-1], noun[0]) not in COMPOUNDS:
            break
    many = last != head or count not in ("", "one")
    return NamedThing(" ".join(noun), words, count, many, " ".join(phrase))


def _is_adverb(word: str) -> bool:
    return word.endswith("ly") and word not in THINGS


def _describe(phrase: list[str], things: list[NamedThing], subject: int | None) -> None:
    """ "The ball is red": words after a copula that describe what was named before."""
    if subject is not None:
        things[subject].attributes += [word for word in phrase if is_attribute(word)]


def _link(subject: int, verb: str, relation: str, other: int) -> Link:
    words = f"{verb} {relation}".strip()
    if verb:
        return Link(subject, words, other, "verb")
    return Link(subject, words, other, "position" if relation in POSITIONS else "relation")

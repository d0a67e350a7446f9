"""What the words of the pages mean: the page “Words”, the links from heads of tables, docs/glossary.md."""

from __future__ import annotations

from dataclasses import dataclass

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import slugify
from django.utils.translation import gettext, gettext_noop

from annotations.language.stored_words import say

register = template.Library()


@dataclass(frozen=True, slots=True)
class Term:
    word: str
    meaning: str
    # Heads of tables and names of statistics that mean this word, too.
    heads: tuple[str, ...] = ()

    @property
    def anchor(self) -> str:
        return slugify(self.word)


@dataclass(frozen=True, slots=True)
class Chapter:
    title: str
    terms: tuple[Term, ...]


STUDY = (
    Term(
        gettext_noop("Study"),
        gettext_noop(
            "images of some prompts by some generators, with one question form and its people"
        ),
    ),
    Term(
        gettext_noop("Generator"),
        gettext_noop("a text-to-image model, with its release date"),
        ("generator",),
    ),
    Term(gettext_noop("Prompt"), gettext_noop("what an image was made from"), ("prompt",)),
    Term(
        gettext_noop("Atom"),
        gettext_noop(
            "one checkable part of a prompt: an object, an attribute, a count, a position, an action"
        ),
        ("atom",),
    ),
    Term(
        gettext_noop("Question form"),
        gettext_noop(
            "the questions that annotators answer about each image; each change of words is a new version"
        ),
        ("form",),
    ),
    Term(
        gettext_noop("Annotator"),
        gettext_noop(
            "a person who labels; never sees generators, judges’ scores or other people’s answers"
        ),
    ),
    Term(
        gettext_noop("Owner"), gettext_noop("a person who runs a study: imports, invites, exports")
    ),
    Term(gettext_noop("Label"), gettext_noop("one person’s answers about one image")),
    Term(
        gettext_noop("Vote"),
        gettext_noop("one person’s preference between the two images of a pair"),
    ),
    Term(gettext_noop("Pair"), gettext_noop("two images of one prompt, shown side by side")),
    Term(
        gettext_noop("Gold question"),
        gettext_noop("an image with a known answer, mixed in to check annotators"),
    ),
    Term(
        gettext_noop("Qualification"),
        gettext_noop("practice images that annotators pass before they begin"),
    ),
    Term(gettext_noop("Speeding"), gettext_noop("answering faster than the minimum seconds")),
    Term(
        gettext_noop("Exclude"),
        gettext_noop("leave a person’s answers out of reports without deleting them"),
    ),
    Term(
        gettext_noop("Adjudication"),
        gettext_noop("one person decides the cases on which annotators disagree"),
    ),
    Term(
        gettext_noop("Reference"),
        gettext_noop(
            "what people together say about an image: the majority, the mean, or the adjudicated answer"
        ),
        ("human", "people"),
    ),
    Term(
        gettext_noop("Consensus"),
        gettext_noop("the rule that turns several answers into one reference"),
    ),
    Term(
        gettext_noop("Pseudonym"), gettext_noop("the name under which a person appears in exports")
    ),
)
JUDGES = (
    Term(
        gettext_noop("Judge"),
        gettext_noop("a method, its engines and their options, frozen under one fingerprint"),
        ("judge",),
    ),
    Term(
        gettext_noop("Method"),
        gettext_noop("a paper’s rule: what is asked, and how answers become a score"),
    ),
    Term(
        gettext_noop("Engine"),
        gettext_noop("what looks at pixels: a detector, a language model, a server"),
    ),
    Term(gettext_noop("Run"), gettext_noop("a judge over the images of a study")),
    Term(
        gettext_noop("Fingerprint"),
        gettext_noop("a short hash that names exactly this judge: versions, weights, options"),
    ),
    Term(
        gettext_noop("Signature"),
        gettext_noop(
            "everything that makes a number come out the same again: fingerprints, form version, consensus rule, n, seed"
        ),
    ),
    Term(gettext_noop("Recipe"), gettext_noop("a judge as a text file")),
    Term(
        gettext_noop("Anchor set"),
        gettext_noop(
            "images whose scores are asked again later, to see whether a judge is still the same"
        ),
    ),
    Term(
        gettext_noop("Bench"),
        gettext_noop("the built-in simulated study: drawn shapes, known truth"),
    ),
)
DRIFT = (
    Term(
        gettext_noop("Gain"),
        gettext_noop("how much a judge’s score moves when people’s answer moves"),
        ("gain", "people gain", "judge gains", "gain change", "gain lost"),
    ),
    Term(
        gettext_noop("Offset"),
        gettext_noop(
            "how much stricter or milder a judge reads newer images than older ones, in people’s points"
        ),
        ("offset", "off by", "off by now"),
    ),
    Term(
        gettext_noop("Net deviation"),
        gettext_noop("human score − judge score, in points; above 0 the judge is too strict"),
        ("human − judge", "human − judge, 90 %", "net deviation, points"),
    ),
    Term(
        gettext_noop("Drift"),
        gettext_noop(
            "offset or gain has moved between release dates, by the definition in How to read the summary"
        ),
        ("stable",),
    ),
    Term(
        gettext_noop("Holds"),
        gettext_noop("offset and gain stay within their limits at every date, by their intervals"),
    ),
    Term(gettext_noop("Alarm"), gettext_noop("a message that a judge has begun to drift")),
    Term(
        gettext_noop("Slice"),
        gettext_noop("the images with one tag, kind of atom, or number of atoms"),
        ("slice",),
    ),
)
NUMBERS = (
    Term(gettext_noop("Interval"), gettext_noop("95 %, over prompts, unless it says otherwise")),
    Term(
        gettext_noop("Undefined"),
        gettext_noop("a number that the data do not give; the reason stands in its place"),
    ),
    Term(
        gettext_noop("AUROC"),
        gettext_noop(
            "the share of pairs of a right and a wrong image that the judge puts in the right order"
        ),
        ("AUROC", "before", "since"),
    ),
    Term(
        gettext_noop("Cohen’s κ"),
        gettext_noop(
            "agreement of two verdicts above what chance would give; it falls with prevalence alone"
        ),
        ("κ", "Cohen’s κ", "κ, quadratic weights"),
    ),
    Term(
        gettext_noop("Percent agreement"),
        gettext_noop(
            "the share of images with the same verdict; where 95 % are right, always saying yes agrees on 95 %"
        ),
        ("agreement", "alike", "pairs alike", "pairs of answers alike"),
    ),
    Term(
        gettext_noop("Balanced accuracy"),
        gettext_noop("the mean of the shares of yes and of no that the judge finds; 0.5 is chance"),
        ("balanced accuracy",),
    ),
    Term(
        gettext_noop("Matthews’ correlation"),
        gettext_noop("Pearson’s r of two verdicts: 0 is chance, 1 no mistake"),
        ("MCC",),
    ),
    Term(
        gettext_noop("Average precision"),
        gettext_noop(
            "of the images that the judge scores highest, how many are right, over all cuts"
        ),
        ("average precision",),
    ),
    Term(
        gettext_noop("Pairwise accuracy"),
        gettext_noop(
            "the share of pairs of images that judge and people order alike. Ties calibrated: close scores count as a tie. Within prompts: only images of one prompt are compared"
        ),
        (
            "pairwise, ties as they are",
            "pairwise, ties calibrated",
            "within prompts, ties as they are",
            "within prompts, ties calibrated",
            "pairwise, ties from other prompts",
            "follows people",
        ),
    ),
    Term(
        gettext_noop("Kendall’s τ"),
        gettext_noop(
            "pairs ordered alike less pairs ordered otherwise; τ-b takes ties out of the scale"
        ),
        ("τ-b", "τ-c", "τ of generators", "τ, generators drawn too"),
    ),
    Term(gettext_noop("Spearman’s ρ"), gettext_noop("Pearson’s r of the ranks"), ("Spearman",)),
    Term(
        gettext_noop("Pearson’s r"),
        gettext_noop("how near to a straight line; it says nothing about order"),
        ("Pearson",),
    ),
    Term(
        gettext_noop("Soft pairwise accuracy"),
        gettext_noop("whether the judge is as sure of each pair of generators as people are"),
        ("soft pairwise",),
    ),
    Term(
        gettext_noop("Pairs swapped"),
        gettext_noop("how many pairs of generators the judge orders against people"),
        ("pairs swapped",),
    ),
    Term(
        gettext_noop("Brier score"),
        gettext_noop("how far a score, read as a probability, is from what people say; 0 is best"),
        ("Brier", "better than the average", "log score"),
    ),
    Term(
        gettext_noop("Calibration error"),
        gettext_noop("the mean distance of score and people’s share of yes over ten bins"),
        ("calibration error",),
    ),
    Term(
        gettext_noop("Krippendorff’s α"),
        gettext_noop(
            "agreement of people above chance, also where they answered about different images; 1 is full, 0 is chance"
        ),
        ("α nominal", "α ordinal", "α interval", "Krippendorff’s α, interval"),
    ),
    Term(
        gettext_noop("Fleiss’ κ"),
        gettext_noop("agreement above chance of several people about the same images"),
        ("Fleiss’ κ",),
    ),
    Term(
        gettext_noop("Gwet’s AC1, AC2"),
        gettext_noop(
            "agreement with a chance term that does not collapse where one answer is rare"
        ),
        ("Gwet’s AC1", "Gwet’s AC2"),
    ),
    Term(
        gettext_noop("ICC(2,k)"),
        gettext_noop("how reliable the mean of several people is"),
        ("ICC(2,k)",),
    ),
    Term(
        gettext_noop("Like a person"),
        gettext_noop("how near a judge is to the other people, beside how near a person is"),
        ("like a person ρ", "like the majority", "like the majority of the others"),
    ),
    Term(
        gettext_noop("Share of wins"),
        gettext_noop(
            "the chance that a generator’s image is preferred to another generator’s, a tie counting half; Elo is the same on another scale"
        ),
        ("wins", "Elo"),
    ),
    Term(
        gettext_noop("Sensitivity, specificity"),
        gettext_noop(
            "yes to what is right, and no to what is wrong, by the model of Dawid and Skene"
        ),
        ("yes to what is right", "no to what is wrong"),
    ),
)
REFUSED = (
    Term(
        gettext_noop("Rejected file"),
        gettext_noop(
            "a file, or a row of it, that cannot be taken: “Format” says what a file is read as, its line says which row"
        ),
    ),
    Term(
        gettext_noop("Refused form"),
        gettext_noop(
            "questions that cannot be asked yet; each mistake stands at its field, and the study keeps its present questions"
        ),
    ),
    Term(
        gettext_noop("Refused change"),
        gettext_noop(
            "a change that would contradict what the study holds or how it is set; nothing of it was saved"
        ),
    ),
    Term(
        gettext_noop("Refused judge"),
        gettext_noop(
            "a name, an option or a file of a judge that does not fit; the page Judges says what each one takes"
        ),
    ),
    Term(
        gettext_noop("Missing package"),
        gettext_noop(
            "a library that a judge needs and this installation lacks; install it by the command shown, then start Jurybox again"
        ),
    ),
    Term(
        gettext_noop("Model server"),
        gettext_noop(
            "a program that answers questions about images at an address, which an administrator adds"
        ),
    ),
)
CHAPTERS = (
    Chapter(gettext_noop("A study and its people"), STUDY),
    Chapter(gettext_noop("Judges"), JUDGES),
    Chapter(gettext_noop("Drift"), DRIFT),
    Chapter(gettext_noop("Numbers"), NUMBERS),
    Chapter(gettext_noop("When something is refused"), REFUSED),
)
# Kind of a refusal, by its `code` or by what a page shows -> the word that explains it. Others, such as how long
# to wait, say all in their sentence; those of a label stay short for who labels.
EXPLAINED = {
    "import": "Rejected file",
    "form": "Refused form",
    "study": "Refused change",
    "judge": "Refused judge",
    "package": "Missing package",
    "server": "Model server",
}


def all_terms() -> list[Term]:
    return [term for chapter in CHAPTERS for term in chapter.terms]


BY_HEAD = {head: term for term in all_terms() for head in (term.word, *term.heads)}


@register.filter
def explain_head(head: str) -> SafeString | str:
    """The head of a column in the page's language; one of the glossary's words leads to its meaning."""
    term, shown = BY_HEAD.get(head), say(head)
    if term is None:
        return shown
    address = f"{reverse('words')}#{term.anchor}"
    meaning = gettext(term.meaning)
    return format_html('<a class="term" href="{}" title="{}">{}</a>', address, meaning, shown)


@register.simple_tag
def explain_refusal(kind: str) -> SafeString | str:
    """The way from a refusal to the word that explains it; the documentation is not everywhere, this page is."""
    term = BY_HEAD.get(EXPLAINED.get(kind, ""))
    if term is None:
        return ""
    address, words = f"{reverse('words')}#{term.anchor}", gettext("What is this?")
    return format_html('<a class="small" href="{}">{}</a>', address, words)


@register.filter
def meaning_of_head(head: str) -> str:
    """Where the head leads elsewhere: to another order of its rows."""
    term = BY_HEAD.get(head)
    return gettext(term.meaning) if term else ""

"""People one by one: what each says of what is there, and who is stricter than the others.

`dawid_skene` finds at once what the images are and how each person errs. `severity` and
`conditional_severity` compare people on the images that they share.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from jurybox_stats.counting.patterns import Patterns
from jurybox_stats.estimate import Estimate, Undefined
from jurybox_stats.series import Codes, Floats, coded, finite, group_codes, numbers, same_length

LEAST = 1e-10


@dataclass(frozen=True, slots=True)
class Classes:
    """`posterior` images x classes; `confusion` raters x true x answer, the share of what a rater
    says of images of a class; rows and columns in the order of `images`, `raters`, `names`."""

    images: np.ndarray
    raters: np.ndarray
    names: np.ndarray
    posterior: Floats
    prior: Floats
    confusion: Floats
    losses: tuple[float, ...]

    @property
    def labels(self) -> np.ndarray:
        """The likeliest class of each image, the first of those that tie."""
        return self.names[self.posterior.argmax(axis=1)]


def dawid_skene(
    images: ArrayLike,
    raters: ArrayLike,
    answers: ArrayLike,
    *,
    classes: ArrayLike | None = None,
    iterations: int = 100,
    tolerance: float = 1e-5,
) -> Classes | Undefined:
    """Expectation maximisation (Dawid & Skene 1979), begun with the shares of the answers.

    It stops when the likelihood of an answer grows by less than the tolerance. A rater who never
    gave some answer has no chance for it, rather than a tiny one.
    """
    where, who, said = same_length(images, raters, answers)
    if not where.size:
        return Undefined("there are no answers")
    if said.dtype.kind == "f" and not np.isfinite(said).all():
        return Undefined("some answers are missing or infinite", said.size)
    known, given = (coded(said)[0], coded(said)[1]) if classes is None else _placed(said, classes)
    names_of_images, image = coded(where)
    names_of_raters, rater = coded(who)
    patterns = Patterns.from_codes(image, rater, given, names_of_raters.size, known.size)
    learned = learn(patterns, patterns.size, iterations=iterations, tolerance=tolerance)
    return Classes(
        names_of_images,
        names_of_raters,
        known,
        learned.posterior[patterns.of_image],
        learned.prior,
        learned.confusion,
        learned.losses,
    )


def _placed(said: np.ndarray, classes: ArrayLike) -> tuple[np.ndarray, Codes]:
    known = np.unique(np.asarray(classes))
    place = np.searchsorted(known, said).clip(0, known.size - 1)
    if (known[place] != said).any():
        raise ValueError("an answer is none of the classes")
    return known, place.astype(np.int64)


@dataclass(frozen=True, slots=True)
class Learned:
    """The same with rows of patterns in place of images: each image of a row has the same chances,
    however often the model is learned."""

    posterior: Floats
    prior: Floats
    confusion: Floats
    losses: tuple[float, ...]


def learn(
    patterns: Patterns, size: Floats, *, iterations: int = 100, tolerance: float = 1e-5
) -> Learned:
    """`size`: of how many images each row is to be learned; rows of none have chances, too, and teach
    nothing."""
    given = patterns.given
    answers = given.sum(axis=1) * size
    used = (given.T @ size).reshape(patterns.raters, patterns.classes) > 0
    posterior = given @ np.tile(np.eye(patterns.classes), (patterns.raters, 1))
    posterior /= posterior.sum(axis=1, keepdims=True)
    prior, confusion = _taught(patterns, posterior, size, used)
    logs = given @ _logs(confusion)
    losses: list[float] = []
    for _ in range(iterations):
        chances = logs + np.log(np.maximum(prior, LEAST))
        posterior = np.exp(chances - scipy.special.logsumexp(chances, axis=1, keepdims=True))
        prior, confusion = _taught(patterns, posterior, size, used)
        logs = given @ _logs(confusion)
        losses.append(_likelihood(posterior, logs, prior, size, answers))
        if len(losses) > 1 and losses[-1] - losses[-2] < tolerance:
            break
    return Learned(posterior, prior, confusion, tuple(losses))


def said_of(patterns: Patterns, chances: Floats) -> Floats:
    """Raters x true x answer: the sum of the chances of a class over the answers of a rater."""
    k = patterns.classes
    sums: Floats = (patterns.given.T @ chances).reshape(patterns.raters, k, k)
    return sums.transpose(0, 2, 1)


def _taught(
    patterns: Patterns, posterior: Floats, size: Floats, used: np.ndarray
) -> tuple[Floats, Floats]:
    """The prior, and raters x true x answer."""
    weighted = posterior * size[:, None]
    sums = np.maximum(said_of(patterns, weighted), LEAST)
    confusion = np.where(used[:, None, :], sums, 0.0)
    prior = weighted.sum(axis=0) / size.sum()
    with np.errstate(invalid="ignore"):
        return prior, confusion / confusion.sum(axis=2, keepdims=True)


def _logs(confusion: Floats) -> Floats:
    """Answers x true. What nobody answered matters for rows without images alone."""
    known = confusion.transpose(0, 2, 1).reshape(-1, confusion.shape[1])
    return np.log(np.where(known > 0, known, 1.0))


def _likelihood(
    posterior: Floats, logs: Floats, prior: Floats, size: Floats, answers: Floats
) -> float:
    """The bound on the log-likelihood, for an answer. The prior counts once for each answer, as in
    crowd-kit, so that it stops at the same step."""
    certain = np.maximum(posterior, LEAST)
    told = ((posterior * logs).sum(axis=1) * size).sum()
    before = ((posterior @ np.log(np.maximum(prior, LEAST))) * answers).sum()
    sure = ((certain * np.log(certain)).sum(axis=1) * size).sum()
    return float((told + before - sure) / answers.sum())


@dataclass(frozen=True, slots=True)
class Severity:
    """How much more one person says than the others on the same images; negative is strict.

    `against_first` compares with the first rater, `against_others` with the mean of the others;
    no interval where it could not be seen.
    """

    rater: object
    against_first: Estimate
    against_others: Estimate


def severity(
    images: ArrayLike,
    raters: ArrayLike,
    values: ArrayLike,
    prompts: ArrayLike,
    *,
    level: float = 0.05,
) -> list[Severity] | Undefined:
    """value = what the image is + what the rater adds + error, by least squares within images.

    On any scale, in its own units. Errors treat prompts as clusters, times G / (G - 1), with t of
    G - 1; G counts prompts with an image of two or more raters.
    """
    where, who, asked = same_length(images, raters, prompts)
    series = finite(values, at_least=0)
    if isinstance(series, Undefined):
        return series
    if series[0].size != where.size:
        raise ValueError("every answer needs an image, a rater and a prompt")
    names, rater = coded(who)
    kept = _with_others(where)
    if not kept.any() or names.size < 2:
        return Undefined("no image has two raters", where.size)
    image, rater = coded(where[kept])[1], rater[kept]
    patterns = Patterns.from_codes(image, rater, None, names.size, 1)
    if _parts(patterns) > 1:
        return Undefined("some raters share no image with the others", where.size)
    codes, groups = group_codes(asked[kept], image.size, what="prompts")
    y = _centre_by_image(series[0][kept], image)
    normal = _shared(patterns)
    effect = np.r_[0.0, np.linalg.solve(normal[1:, 1:], np.bincount(rater, y, names.size)[1:])]
    # What is left of an image sums to 0, so each rater's pull is what is left of their own answers.
    left = y - _centre_by_image(effect[rater], image)
    pulls = scipy.sparse.coo_array((left, (codes, rater)), shape=(groups, names.size)).tocsr()[
        :, 1:
    ]
    spread = np.zeros((names.size, names.size))
    if groups > 1:
        inverse = np.linalg.inv(normal[1:, 1:])
        together = (pulls.T @ pulls).toarray()
        spread[1:, 1:] = inverse @ together @ inverse * groups / (groups - 1)
    # Rater r less the mean of the others, as weights of the effects.
    apart = np.eye(names.size) * names.size / (names.size - 1) - 1 / (names.size - 1)
    times = float(scipy.special.stdtrit(groups - 1, 1 - level / 2)) if groups > 1 else None
    first = _estimates(effect, spread, times, image.size)
    others = _estimates(apart @ effect, apart @ spread @ apart.T, times, image.size)
    return [Severity(*row) for row in zip(names.tolist(), first, others, strict=True)]


@dataclass(frozen=True, slots=True)
class Conditional:
    """Severities on the logit scale, the first rater's 0; larger says yes less often."""

    raters: np.ndarray
    severity: Floats
    standard_error: Floats
    log_likelihood: float
    images_that_tell: int


def conditional_severity(
    images: ArrayLike, raters: ArrayLike, answers: ArrayLike
) -> Conditional | Undefined:
    """logit P(yes) = image - severity, given how many answered yes of each image, so that the images
    drop out: the Rasch model by conditional likelihood, which many images do not bias.

    P(these answered yes | so many did) = prod exp(-severity) over them / the sum of such products over
    all ways. Andersen 1970, J. R. Stat. Soc. B 32:283.
    """
    where, who = same_length(images, raters)
    said = numbers(np.asarray(answers))
    if said.size != where.size or not np.isin(said, (0.0, 1.0)).all():
        raise ValueError("every answer is 0 or 1, with an image and a rater")
    if not said.size:
        return Undefined("there are no answers")
    names, rater = coded(who)
    image = coded(where)[1]
    yes, all_of = np.bincount(image, weights=said), np.bincount(image)
    tells = (yes > 0) & (yes < all_of)
    if not tells.any():
        return Undefined("every image is unanimous: nobody differs", where.size)
    kept = tells[image]
    told = Patterns.from_codes(coded(image[kept])[1], rater[kept], None, names.size, 1)
    if _parts(told) > 1:
        return Undefined("some raters share no disputed image with the others", where.size)
    patterns = _patterns(image[kept], rater[kept], said[kept])
    if not _finite_answer(patterns, names.size):
        return Undefined("some raters are always on one side where answers differ", where.size)
    alpha = np.zeros(names.size)
    for _ in range(100):
        value, slope, bend = _conditional(patterns, alpha)
        step = np.r_[0.0, np.linalg.solve(bend[1:, 1:], slope[1:])]
        # Newton may leap too far from a bad start.
        size = 1.0
        while size > 1e-6 and _conditional(patterns, alpha + size * step)[0] < value - 1e-12:
            size /= 2
        alpha = alpha + size * step
        if np.abs(step).max() < 1e-10:
            break
    value, _, bend = _conditional(patterns, alpha)
    errors = np.r_[0.0, np.sqrt(np.diag(np.linalg.inv(bend[1:, 1:])))]
    return Conditional(names, alpha, errors, value, int(tells.sum()))


Pattern = tuple[tuple[int, ...], tuple[int, ...]]


def _patterns(image: Codes, rater: Codes, said: Floats) -> dict[Pattern, int]:
    """How many images have these people saying yes and those saying no."""
    found: dict[Pattern, int] = {}
    for members in np.split(np.argsort(image, kind="stable"), np.cumsum(np.bincount(image))[:-1]):
        if members.size:
            yes = tuple(sorted(rater[members[said[members] == 1]].tolist()))
            no = tuple(sorted(rater[members[said[members] == 0]].tolist()))
            found[yes, no] = found.get((yes, no), 0) + 1
    return found


def _finite_answer(patterns: dict[Pattern, int], size: int) -> bool:
    """Whether a chain of disagreements leads from everybody to everybody else."""
    ahead = np.zeros((size, size), dtype=bool)
    for yes, no in patterns:
        ahead[np.ix_(yes, no)] = True
    return (
        scipy.sparse.csgraph.connected_components(ahead, directed=True, connection="strong")[0] == 1
    )


def _conditional(patterns: dict[Pattern, int], alpha: Floats) -> tuple[float, Floats, Floats]:
    """The log-likelihood, its slope, and its curvature with the sign turned."""
    value, slope = 0.0, np.zeros_like(alpha)
    bend = np.zeros((alpha.size, alpha.size))
    for (yes, no), times in patterns.items():
        people = np.array(yes + no)
        # Shifted, so that no exponential overflows; the shift cancels.
        weights = np.exp(-(alpha[people] - alpha[people].mean()))
        total = _products(weights, len(yes))
        alone, together = _chances(weights, len(yes), total)
        logs = np.log(weights[: len(yes)]).sum() - math.log(total)
        value += times * float(logs)
        slope[people] += times * (alone - np.r_[np.ones(len(yes)), np.zeros(len(no))])
        bend[np.ix_(people, people)] += times * (together - np.outer(alone, alone))
    return value, slope, bend


def _chances(weights: Floats, yes: int, total: float) -> tuple[Floats, Floats]:
    """The chance that each person, and each two, are among those who say yes."""
    size = weights.size
    together = np.zeros((size, size))
    for i in range(size):
        rest = np.delete(weights, i)
        together[i, i] = weights[i] * _products(rest, yes - 1) / total
        for j in range(i):
            if yes >= 2:
                pair = weights[i] * weights[j] * _products(np.delete(rest, j), yes - 2)
                together[i, j] = together[j, i] = pair / total
    return np.diag(together).copy(), together


def _products(weights: Floats, chosen: int) -> float:
    """The sum, over all ways to choose so many, of the products of their weights."""
    sums = np.zeros(chosen + 1)
    sums[0] = 1.0
    for weight in weights:
        sums[1:] = sums[1:] + weight * sums[:-1]
    return float(sums[chosen])


def _with_others(images: np.ndarray) -> np.ndarray:
    codes = coded(images)[1]
    return np.bincount(codes)[codes] > 1


def _parts(patterns: Patterns) -> int:
    """Into how many parts the raters fall whom no shared image joins."""
    return int(np.unique(patterns.groups()).size)


def _centre_by_image(values: Floats, image: Codes) -> Floats:
    """Less the mean of the image."""
    means = np.bincount(image, values) / np.bincount(image)
    less: Floats = values - means[image]
    return less


def _shared(patterns: Patterns) -> Floats:
    """Z'Z of who answered, less the means of images: a rater's answers on the diagonal, and off all of
    it what each two share, an image of m answers as 1 / m."""
    who = patterns.given
    each = patterns.size / who.sum(axis=1)
    shared = (who.T @ who.multiply(each[:, None]).tocsr()).toarray()
    own: Floats = np.diag(who.T @ patterns.size) - shared
    return own


def _estimates(values: Floats, spread: Floats, times: float | None, n: int) -> list[Estimate]:
    errors = np.sqrt(np.maximum(np.diag(spread), 0))
    if times is None:
        return [Estimate(float(value), None, None, n) for value in values]
    return [
        Estimate(float(value), float(value - times * error), float(value + times * error), n)
        for value, error in zip(values, errors, strict=True)
    ]

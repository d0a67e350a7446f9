"""What may come in: equally long series of finite numbers, or a word on why not.

A mistake of the caller (lengths that differ, a table where a list belongs, a choice that does not
exist) is a `ValueError`. A property of the data (nothing there, a NaN, an infinity) is `Undefined`,
so that a page with one bad column still shows the others.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jurybox_stats.estimate import Undefined

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

LARGEST = 1e100
LARGEST_CODE = 2**53
# Of so many values, those of a scale of steps show few different ones.
SAMPLE, FEW = 1024, 128


def same_length(*series: ArrayLike) -> tuple[np.ndarray, ...]:
    """The series as one-dimensional arrays of one length; anything else is a ValueError."""
    arrays = tuple(np.asarray(values) for values in series)
    if any(array.ndim != 1 for array in arrays):
        raise ValueError("every series must be a plain list, one value per item")
    if len({array.size for array in arrays}) > 1:
        sizes = ", ".join(str(array.size) for array in arrays)
        raise ValueError(f"the series differ in length: {sizes}")
    return arrays


def finite(*series: ArrayLike, at_least: int = 1) -> tuple[Floats, ...] | Undefined:
    """The series as float64, or Undefined when one holds a NaN or an infinity, or too little."""
    arrays = tuple(numbers(array) for array in same_length(*series))
    n = arrays[0].size
    bad = sum(int(n - np.isfinite(array).sum()) for array in arrays)
    if bad:
        return Undefined(f"{bad} values are missing or infinite", n)
    if any(np.abs(array).max(initial=0) > LARGEST for array in arrays):
        return Undefined(f"values beyond {LARGEST:g}: their squares and sums would overflow", n)
    if n < at_least:
        return Undefined("there are no items" if n == 0 else f"fewer than {at_least} items", n)
    return arrays


def numbers(values: np.ndarray) -> Floats:
    try:
        return np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("the values must be numbers") from None


def classes(*series: ArrayLike) -> tuple[tuple[Codes, ...], np.ndarray] | Undefined:
    """The series as positions in the sorted list of all the classes that occur in any of them.

    Classes may have any names: numbers, booleans or text.
    """
    arrays = same_length(*series)
    n = arrays[0].size
    if n == 0:
        return Undefined("there are no items", 0)
    if any(array.dtype == object for array in arrays):
        arrays = tuple(_plain(array) for array in arrays)
    if any(array.dtype.kind == "f" and not np.isfinite(array).all() for array in arrays):
        bad = sum(int((~np.isfinite(a)).sum()) for a in arrays if a.dtype.kind == "f")
        return Undefined(f"{bad} values are missing or infinite", n)
    kinds = {array.dtype.kind in "US" for array in arrays}
    if len(kinds) > 1:
        raise ValueError("one series holds text and another numbers: they share no classes")
    names, codes = coded(np.concatenate(arrays))
    return tuple(np.split(codes, len(arrays))), names


def coded(values: np.ndarray) -> tuple[np.ndarray, Codes]:
    """The distinct values in order, and each value's place among them.

    Whole numbers of a small range, as most classes and prompts are, need no sort.
    """
    if values.size and values.dtype.kind in "iuf":
        low, high = values.min().item(), values.max().item()
        small = low >= -LARGEST_CODE and high <= LARGEST_CODE and high - low <= 4 * values.size
        if small and (values.dtype.kind != "f" or (values == np.rint(values)).all()):
            place = (values - low).astype(np.int64, copy=False)
            used = np.bincount(place) > 0
            names = (np.flatnonzero(used) + low).astype(values.dtype)
            return names, place if used.all() else (np.cumsum(used) - 1)[place]
        # Few steps of a scale: found by their names, not by a sort of all.
        if values.size > SAMPLE and (names := np.unique(values[:SAMPLE])).size <= FEW:
            place = np.searchsorted(names, values)
            # Mostly the first ones show all that there are.
            if place.max() < names.size and (names[place] == values).all():
                return names, place
            names = np.unique(values)
            if names.size <= SAMPLE:
                return names, np.searchsorted(names, values)
    names, codes = np.unique(values, return_inverse=True)
    return names, codes.astype(np.int64)


def ascending(codes: Codes) -> Codes:
    """Where the codes stand in ascending order, equal ones in the order in which they came: sorted as
    one number with their places, which takes a fraction of a stable sort of places."""
    bits = max(codes.size - 1, 1).bit_length()
    if int(codes.max(initial=0)) >= 2 ** (62 - bits):
        return np.argsort(codes, kind="stable")
    key = codes << bits
    key |= np.arange(codes.size)
    key.sort()
    key &= 2**bits - 1
    return key


def tally(values: Floats) -> tuple[Floats, Codes, Codes]:
    """The distinct values, each value's place among them, and how often each occurs.

    Ratings are mostly small whole numbers, for which counting needs no sort.
    """
    low, high = values.min(), values.max()
    if high - low < 1000 and (values == np.rint(values)).all():
        place = (values - low).astype(np.int64)
        sizes = np.bincount(place)
        used = sizes > 0
        return np.flatnonzero(used) + low, (np.cumsum(used) - 1)[place], sizes[used]
    names, codes, sizes = np.unique(values, return_inverse=True, return_counts=True)
    return names, codes, sizes


def ranks(values: ArrayLike) -> Floats:
    """From 1; of equal values the middle of theirs."""
    _, codes, sizes = np.unique(values, return_inverse=True, return_counts=True)
    middles: Floats = np.cumsum(sizes) - (sizes - 1) / 2
    return middles[codes]


def _plain(array: np.ndarray) -> np.ndarray:
    """A list of objects as text if all are text, else as numbers (None becomes NaN)."""
    if all(isinstance(value, str) for value in array):
        return array.astype(str)
    return numbers(array)


def binary(labels: ArrayLike) -> NDArray[np.bool_]:
    """Labels that are 0 or 1, as booleans; anything else is a ValueError."""
    array = numbers(np.asarray(labels))
    if not np.isin(array, (0.0, 1.0)).all():
        raise ValueError("labels must be 0 or 1")
    return array == 1.0


def ratings_array(ratings: ArrayLike) -> Floats:
    """Raters x units as float64, NaN where a rater gave no answer."""
    table = numbers(np.asarray(ratings))
    if table.ndim != 2:
        raise ValueError("ratings must be a table: one row per rater, one column per unit")
    if any((np.abs(row) > LARGEST).any() for row in table):
        raise ValueError(f"ratings must not be infinite, nor beyond {LARGEST:g}")
    return table


def ratings_table(ratings: ArrayLike) -> Floats | Undefined:
    """The same, Undefined when there is none."""
    table = ratings_array(ratings)
    return table if table.size else Undefined("no ratings", 0)


def group_codes(groups: ArrayLike, n: int, *, what: str = "groups") -> tuple[Codes, int]:
    """Which group each item belongs to, as 0..G-1, and G."""
    array = np.asarray(groups)
    if array.ndim != 1 or array.size != n:
        raise ValueError(f"{what} must name one group for each of the {n} items")
    if array.dtype == object:
        array = array.astype(str)
    if array.dtype.kind == "f" and np.isnan(array).any():
        raise ValueError(f"{what} must not be missing")
    names, codes = coded(array)
    return codes, names.size


def constant(values: np.ndarray) -> bool:
    return bool((values == values[0]).all())

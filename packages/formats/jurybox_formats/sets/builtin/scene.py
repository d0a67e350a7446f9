"""What an imaginary generator decides to draw: which things, where, and with which mistakes.

A scene is planned before anything is painted, and the truth of every atom is read from the plan
by the words people use: exactly so many, all of that colour, wholly to one side. Coordinates run
from 0 to 1, y down.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from jurybox_formats.prompt_grammar.vocabulary import COLOURS
from jurybox_formats.sets.builtin.grammar import SHAPES, Group, Wish

Point = tuple[float, float]

# Two groups lie "left of" one another when there is this much air between them.
_AIR = 0.015
OPPOSITE = {"left of": "right of", "right of": "left of", "above": "below", "below": "above"}


@dataclass(frozen=True, slots=True)
class Figure:
    """One shape, where it lies. `squash` narrows it, `lean` shears it, `wobble` spoils its edge."""

    shape: str
    color: str
    x: float
    y: float
    radius: float
    turn: float = 0.0
    squash: float = 0.0
    lean: float = 0.0
    wobble: float = 0.0

    def outlines(self) -> list[list[Point]]:
        """Closed lines around the centre, in the scene's measure; the ring has two of them."""
        cos, sin = math.cos(self.turn), math.sin(self.turn)
        drawn = []
        for line in OUTLINES[self.shape]:
            moved = []
            for px, py in _wobbled(line, self.wobble) if self.wobble else line:
                px, py = px * cos - py * sin, px * sin + py * cos
                px = px + self.lean * py
                moved.append((px * self.radius, py * (1 - self.squash) * self.radius))
            drawn.append(moved)
        return drawn

    def box(self) -> tuple[float, float, float, float]:
        outer = self.outlines()[0]
        xs, ys = [x for x, _ in outer], [y for _, y in outer]
        return self.x + min(xs), self.y + min(ys), self.x + max(xs), self.y + max(ys)


@dataclass(frozen=True, slots=True)
class Habits:
    """How a generator plans: how often an atom slips, how far its things turn, lean and touch."""

    slip: float
    spoil: float = 0.0
    turn: float = 0.0
    squash: float = 0.0
    lean: float = 0.0
    uneven: float = 0.0
    touch: float = 0.0


@dataclass(frozen=True, slots=True)
class Scene:
    things: tuple[Figure, ...]
    well_formed: bool


def plan(wish: Wish, habits: Habits, rng: random.Random) -> Scene:
    groups, relation = _slip(wish, habits.slip, rng)
    things = list(laid_out(groups, relation, habits, rng))
    if not wish.relation and rng.random() < habits.touch:
        things = _touching(things, rng)
    spoilt = bool(things) and rng.random() < habits.spoil
    if spoilt:
        victim = rng.randrange(len(things))
        things[victim] = replace(things[victim], wobble=rng.uniform(0.06, 0.08))
    return Scene(tuple(things), not spoilt)


def laid_out(
    groups: Sequence[DrawnGroup], relation: str | None, habits: Habits, rng: random.Random
) -> tuple[Figure, ...]:
    """Things of these groups, the first two as the relation says."""
    counts = [len(group.colors) for group in groups]
    if relation and counts[0] and counts[1]:
        spots = _related_spots(counts, relation, rng)
    else:
        spots = _scattered_spots(counts, rng)
    return tuple(
        _thing(group.shape, color, spot, habits, rng)
        for group, places in zip(groups, spots, strict=True)
        for color, spot in zip(group.colors, places, strict=True)
    )


def truth(wish: Wish, things: Sequence[Figure]) -> tuple[bool, ...]:
    """Whether each atom holds, in the order of `atoms_of`.

    Exactly that number; every one of them in the colour, and at least one there; every one
    of the first group clear of every one of the second.
    """
    figures = [[thing for thing in things if thing.shape == group.shape] for group in wish.groups]
    values: list[bool] = []
    for place, (group, drawn) in enumerate(zip(wish.groups, figures, strict=True)):
        values += [bool(drawn), len(drawn) == group.count]
        if group.color:
            values.append(bool(drawn) and all(thing.color == group.color for thing in drawn))
        if place == 1 and wish.relation:
            values.append(lies(wish.relation, figures[0], figures[1]))
    return tuple(values)


def lies(relation: str, first: Sequence[Figure], second: Sequence[Figure]) -> bool:
    if not first or not second:
        return False
    if relation in ("right of", "below"):
        return lies(OPPOSITE[relation], second, first)
    axis = 0 if relation == "left of" else 1
    end = max(thing.box()[axis + 2] for thing in first)
    start = min(thing.box()[axis] for thing in second)
    return start - end >= _AIR


# --- mistakes


@dataclass(frozen=True, slots=True)
class DrawnGroup:
    """What a group of the wish became: things of one shape, each in its colour."""

    shape: str
    colors: tuple[str, ...]


def _slip(wish: Wish, slip: float, rng: random.Random) -> tuple[list[DrawnGroup], str | None]:
    """The groups that will be drawn, and the relation between the first two."""
    groups = [_draw_group(group, wish, slip, rng) for group in wish.groups]
    relation = wish.relation
    if relation and rng.random() < 1.3 * slip:
        aside = {"left of": "above", "right of": "below", "above": "left of", "below": "right of"}
        # A third group fills the room that two groups side by side the other way would need.
        choices = [OPPOSITE[relation]] + [aside[relation]] * (len(wish.groups) == 2)
        relation = rng.choice(choices)
    return groups, relation


def _draw_group(group: Group, wish: Wish, slip: float, rng: random.Random) -> DrawnGroup:
    shape, count = group.shape, group.count
    if rng.random() < 0.5 * slip:
        # Something else instead, or nothing; but no picture stays empty.
        if group is not wish.groups[0] and rng.random() < 0.5:
            return DrawnGroup(shape, ())
        shape = rng.choice([s for s in SHAPES if s not in {g.shape for g in wish.groups}])
    if rng.random() < slip * (0.5 + 0.3 * count):
        count = max(1, count + rng.choice((-1, 1))) if count > 1 else rng.choice((2, 2, 3))
    return DrawnGroup(shape, _drawn_colors(group, count, wish, slip, rng))


def _drawn_colors(
    group: Group, count: int, wish: Wish, slip: float, rng: random.Random
) -> tuple[str, ...]:
    color = group.color or rng.choice(COLOURS)
    if not group.color or rng.random() >= slip:
        return (color,) * count
    # Colours leak from one object to the other, as they do in real generators. A mistake has to
    # be seen at a glance, so no neighbouring colour is taken for it.
    far = [other for other in COLOURS if other not in _look_alikes(color)]
    leaked = [other.color for other in wish.groups if other.color in far]
    wrong = rng.choice(leaked or far)
    if count > 1 and rng.random() < 0.4:
        return (color,) + (wrong,) * (count - 1)
    return (wrong,) * count


def _look_alikes(color: str) -> set[str]:
    near = ({"red", "orange", "brown"}, {"pink", "red", "purple"}, {"yellow", "orange", "white"})
    return {color}.union(*(group for group in near if color in group))


# --- places

Spot = tuple[float, float, float]


def _scattered_spots(counts: list[int], rng: random.Random) -> list[list[Spot]]:
    """Each thing in a cell of its own, so that nothing covers anything."""
    total = sum(counts)
    columns, rows = rng.choice(_grids(total))
    width, height = 0.94 / columns, 0.94 / rows
    radius = min(0.38 * min(width, height), 0.17)
    cells = rng.sample([(c, r) for c in range(columns) for r in range(rows)], total)
    free = [0.5 * width - 1.06 * radius, 0.5 * height - 1.06 * radius]
    spots = [
        (
            0.03 + (column + 0.5) * width + rng.uniform(-1, 1) * min(free[0], 0.1),
            0.03 + (row + 0.5) * height + rng.uniform(-1, 1) * min(free[1], 0.1),
            radius,
        )
        for column, row in cells
    ]
    return _split(spots, counts)


def _grids(total: int) -> list[tuple[int, int]]:
    if total <= 1:
        return [(1, 1)]
    if total <= 4:
        return {2: [(2, 1), (1, 2), (2, 2)], 3: [(2, 2)], 4: [(2, 2), (3, 2)]}[total]
    if total <= 6:
        return [(3, 2), (2, 3)]
    if total <= 9:
        return [(3, 3)]
    return [(4, 3), (3, 4)] if total <= 12 else [(4, 4)]


def _related_spots(counts: list[int], relation: str, rng: random.Random) -> list[list[Spot]]:
    """Two clusters facing one another, and a third group in a row along the edge.

    Laid out as "left of" and then mirrored or turned. The clusters stay narrow enough that each
    thing of one lies clearly more sideways than up or down from each of the other: what people
    and GenEval's dominance rule both call "left of".
    """
    first, second, *rest = counts
    third = rest[0] if rest else 0
    blocks = [_block(first), _block(second)]
    pitch = _pitch(max(c for c, _ in blocks), max(r for _, r in blocks), bool(third))
    radius = min(0.42 * pitch, 0.13)
    middle = rng.choice((0.37, 0.63)) if third else 0.5
    loose = 0.01 if third else 0.03
    spots = []
    for (columns, rows), count, center in zip(blocks, (first, second), (0.25, 0.75), strict=True):
        drift = rng.uniform(-loose, loose)
        places = [(c, r) for c in range(columns) for r in range(rows)]
        for column, row in sorted(rng.sample(places, count)):
            along = center + (column - (columns - 1) / 2) * pitch
            across = middle + drift + (row - (rows - 1) / 2) * pitch
            spots.append((along, across, radius))
    if third:
        step = min(0.94 / third, 0.3)
        small = min(0.42 * step, 0.09)
        edge = 0.88 if middle < 0.5 else 0.12
        start = 0.5 - (third - 1) / 2 * step
        spots += [(start + index * step, edge, small) for index in range(third)]
    return _split([_turned(spot, relation) for spot in spots], counts)


def _block(count: int) -> tuple[int, int]:
    return {1: (1, 1), 2: (1, 2), 3: (1, 3), 4: (2, 2)}.get(count, (2, 3))


def _pitch(columns: int, rows: int, crowded: bool) -> float:
    if columns == 2:
        return 0.17 if rows == 3 else 0.19
    return min(0.3, (0.62 if crowded else 0.75) / rows)


def _turned(spot: Spot, relation: str) -> Spot:
    x, y, radius = spot
    if relation in ("right of", "below"):
        x = 1 - x
    return (x, y, radius) if relation in ("left of", "right of") else (y, x, radius)


def _split(spots: list[Spot], counts: list[int]) -> list[list[Spot]]:
    parts, start = [], 0
    for count in counts:
        parts.append(spots[start : start + count])
        start += count
    return parts


def _thing(shape: str, color: str, spot: Spot, habits: Habits, rng: random.Random) -> Figure:
    x, y, radius = spot
    return Figure(
        shape,
        color,
        x,
        y,
        radius * (1 - habits.uneven * rng.random()),
        turn=math.radians(habits.turn) * rng.uniform(-1, 1),
        squash=habits.squash * rng.random(),
        lean=habits.lean * rng.uniform(-1, 1),
    )


def _touching(things: list[Figure], rng: random.Random) -> list[Figure]:
    """Push one thing over the rim of its nearest neighbour of another colour: both stay visible."""
    mover = rng.randrange(len(things))
    moving = things[mover]
    others = [other for other in things if other.color != moving.color]
    if not others:
        return things
    other = min(others, key=lambda o: math.dist((o.x, o.y), (moving.x, moving.y)))
    far = math.dist((other.x, other.y), (moving.x, moving.y))
    near = 0.8 * (moving.radius + other.radius)
    if far > near:
        share = near / far
        moved = replace(
            moving,
            x=other.x + (moving.x - other.x) * share,
            y=other.y + (moving.y - other.y) * share,
        )
        things = [*things[:mover], moved, *things[mover + 1 :]]
    return things


# --- shapes: lines around (0, 0) that fill the square from -1 to 1


def _around(points: int, radius: float = 1.0, start: float = -90.0) -> list[Point]:
    angles = [math.radians(start + 360 * k / points) for k in range(points)]
    return [(radius * math.cos(a), radius * math.sin(a)) for a in angles]


def _star() -> list[Point]:
    outer, inner = _around(5), _around(5, 0.45, -54.0)
    return [point for pair in zip(outer, inner, strict=True) for point in pair]


def _cross(arm: float = 0.36) -> list[Point]:
    quarter = [(arm, -1.0), (arm, -arm), (1.0, -arm)]
    points = []
    for _ in range(4):
        points += quarter
        quarter = [(-y, x) for x, y in quarter]
    return points


def _heart() -> list[Point]:
    points = []
    for k in range(48):
        t = 2 * math.pi * k / 48
        x = 16 * math.sin(t) ** 3
        y = 13 * math.cos(t) - 5 * math.cos(2 * t) - 2 * math.cos(3 * t) - math.cos(4 * t)
        points.append((x / 16.2, -(y + 2.3) / 15.2))
    return points


def _crescent() -> list[Point]:
    """What a circle leaves of another: from horn to horn outside, and back inside."""
    shift, bite = 0.5, 0.8
    # Where the two circles meet: x² + y² = 1 and (x - shift)² + y² = bite².
    meet = (1 + shift**2 - bite**2) / (2 * shift)
    outer = math.acos(meet)
    inner = math.acos((meet - shift) / bite)
    steps = 32
    line = []
    for k in range(steps + 1):
        a = outer + (2 * math.pi - 2 * outer) * k / steps
        line.append((math.cos(a) + 0.2, math.sin(a)))
    for k in range(1, steps):
        a = 2 * math.pi - inner - (2 * math.pi - 2 * inner) * k / steps
        line.append((shift + bite * math.cos(a) + 0.2, bite * math.sin(a)))
    return line


OUTLINES: dict[str, list[list[Point]]] = {
    "circle": [_around(48)],
    "square": [[(-0.86, -0.86), (0.86, -0.86), (0.86, 0.86), (-0.86, 0.86)]],
    "triangle": [[(0.0, -0.95), (1.0, 0.8), (-1.0, 0.8)]],
    "star": [_star()],
    "hexagon": [_around(6, start=0.0)],
    "cross": [_cross()],
    "ring": [_around(48), _around(48, 0.56)],
    "heart": [_heart()],
    "crescent": [_crescent()],
    "diamond": [[(0.0, -1.0), (0.62, 0.0), (0.0, 1.0), (-0.62, 0.0)]],
}


def _wobbled(line: list[Point], strength: float) -> list[Point]:
    """The same line with a rippled edge; straight sides need points to ripple."""
    dense = []
    for (ax, ay), (bx, by) in zip(line, line[1:] + line[:1], strict=True):
        steps = max(1, round(math.dist((ax, ay), (bx, by)) / 0.12))
        dense += [(ax + (bx - ax) * k / steps, ay + (by - ay) * k / steps) for k in range(steps)]
    rippled = []
    for x, y in dense:
        angle = math.atan2(y, x)
        ripple = strength * math.sin(11 * angle)
        rippled.append((x + ripple * math.cos(angle), y + ripple * math.sin(angle)))
    return rippled

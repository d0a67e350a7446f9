"""Against an exhaustive search over all injective maps."""

import random
from itertools import permutations

import pytest

from jurybox_judging.methods.shared.matching import Instance, best


def exhaustive(wanted, found, edges, holds):
    """Every map of the instances to the objects, with as many blanks as there are instances."""
    most = 0
    places = [*range(len(found)), *([None] * len(wanted))]
    for chosen in set(permutations(places, len(wanted))):
        pairs = [
            j if j is not None and found[j].kind == wanted[i].kind else None
            for i, j in enumerate(chosen)
        ]
        hits = sum(j is not None and found[j].color == wanted[i].color for i, j in enumerate(pairs))
        hits += sum(
            pairs[a] is not None and pairs[b] is not None and holds(e, pairs[a], pairs[b])
            for e, (a, b) in enumerate(edges)
        )
        most = max(most, hits)
    return most


def things(chance, count, kinds):
    return [Instance(chance.choice("ab"[:kinds]), chance.choice("rgb")) for _ in range(count)]


@pytest.mark.parametrize("seed", range(60))
def test_no_map_has_more_hits(seed):
    chance = random.Random(seed)
    wanted = things(chance, chance.randint(1, 4), chance.choice((1, 2)))
    found = things(chance, chance.randint(0, 4), 2)
    pairs = [(i, j) for i in range(len(wanted)) for j in range(i)]
    edges = chance.sample(pairs, chance.randint(0, len(pairs)))
    table = [[[chance.random() < 0.4 for _ in found] for _ in found] for _ in edges]

    def holds(edge, one, other):
        return table[edge][one][other]

    matching = best(wanted, found, edges, holds)
    assert matching.hits == exhaustive(wanted, found, edges, holds)
    # And the map that is told has these hits, uses no object twice and keeps to the kinds.
    used = [index for index in matching.pairs if index is not None]
    assert len(used) == len(set(used))
    pairs = matching.pairs
    assert all(j is None or found[j].kind == wanted[i].kind for i, j in enumerate(pairs))
    colors = sum(j is not None and found[j].color == wanted[i].color for i, j in enumerate(pairs))
    related = sum(
        pairs[a] is not None and pairs[b] is not None and holds(e, pairs[a], pairs[b])
        for e, (a, b) in enumerate(edges)
    )
    assert colors + related == matching.hits


def test_a_color_is_given_up_for_two_relations():
    wanted = [Instance("a", "red"), Instance("a", "blue"), Instance("a", "blue")]
    found = [
        Instance("a", "green"),
        Instance("a", "blue"),
        Instance("a", "blue"),
        Instance("a", "red"),
    ]
    # Objects stand from left to right: green, blue, blue, red. Green for red: 2 colors + 2
    # relations; red for red: 3 colors, no relation.
    matching = best(wanted, found, [(0, 1), (0, 2)], lambda edge, one, other: one < other)
    assert matching.hits == 4
    assert matching.pairs[0] == 0


def test_an_unnamed_color_is_no_hit():
    assert best([Instance("a", None)], [Instance("a", None)], [], None).hits == 0


def test_nothing_found_leaves_every_instance_without_an_object():
    matching = best([Instance("a", "red"), Instance("b", "red")], [], [(0, 1)], None)
    assert (matching.hits, matching.pairs) == (0, (None, None))

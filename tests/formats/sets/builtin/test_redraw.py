"""A scene of the built-in bench drawn again with one atom corrected."""

from collections import Counter

import pytest

from jurybox_formats.sets.builtin.redraw import redraw
from jurybox_formats.sets.builtin.study import GENERATORS, draw, make_prompts


def test_the_atom_holds_then_and_no_other_is_lost():
    corrected = Counter()
    for prompt in make_prompts(40):
        for generator in GENERATORS[:2]:
            before = draw(prompt, generator, size=32).truth
            for atom, holds in enumerate(before):
                if holds:
                    continue
                after = redraw(prompt, generator, atom, size=32).truth
                assert after[atom], (prompt.text, atom)
                lost = [place for place, was in enumerate(before) if was and not after[place]]
                assert not lost, (prompt.text, atom, before, after)
                corrected[prompt.atoms[atom].kind] += 1
    assert set(corrected) >= {"object", "count", "attribute", "position"}


def test_an_image_that_is_right_is_drawn_as_it_was_and_again_the_same():
    prompt, generator = make_prompts(3)[0], GENERATORS[-1]
    plain = draw(prompt, generator, size=64)
    atom = plain.truth.index(True)
    again = redraw(prompt, generator, atom, size=64)
    assert again.png == plain.png
    assert redraw(prompt, generator, atom, size=64) == again
    with pytest.raises(ValueError, match="no atom 99"):
        redraw(prompt, generator, 99)

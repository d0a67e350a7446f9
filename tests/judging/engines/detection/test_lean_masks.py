"""The lean ways of Mask2Former's parts give the numbers of the plain ones."""

from __future__ import annotations

import types

import pytest

from jurybox_judging.engines.detection.lean_masks import ShrunkFeatures, attend, replaced
from jurybox_judging.engines.shared.torch_setup import prepare


def test_attention_is_that_of_the_library():
    torch = prepare()
    from transformers.models.mask2former import modeling_mask2former

    torch.manual_seed(0)
    shapes = [(3, 4), (6, 8), (5, 7)]
    value = torch.randn(2, sum(h * w for h, w in shapes), 4, 8)
    # Some places lie outside the picture, where there is nothing to see.
    locations = torch.rand(2, 11, 4, 3, 5, 2) * 1.4 - 0.2
    importance = torch.rand(2, 11, 4, 15).softmax(-1).view(2, 11, 4, 3, 5)
    plain = modeling_mask2former.multi_scale_deformable_attention(
        value, shapes, locations, importance
    )
    found = attend(value, torch.tensor(shapes), locations, importance)
    assert found.shape == plain.shape
    assert torch.allclose(found, plain, atol=1e-5)


def test_shrinking_features_first_hides_the_same_places():
    torch = prepare()
    torch.manual_seed(0)
    queries, features = torch.randn(2, 7, 16), torch.randn(2, 16, 12, 20)
    whole = torch.einsum("bqc,bchw->bqhw", queries, features)
    small = torch.nn.functional.interpolate(whole, (3, 5), mode="bilinear", align_corners=False)
    hidden = (small.flatten(2).sigmoid() < 0.5).unsqueeze(1).repeat(1, 4, 1, 1).flatten(0, 1)
    shrunk = ShrunkFeatures()
    assert torch.equal(shrunk.attention(queries, features, (3, 5), 4), hidden)
    assert torch.allclose(shrunk.maps(queries), whole, atol=1e-5)


def test_what_was_replaced_comes_back_even_after_a_failure():
    library = types.SimpleNamespace(attend="plain")
    with pytest.raises(RuntimeError), replaced(library, "attend", "lean"):
        assert library.attend == "lean"
        raise RuntimeError
    assert library.attend == "plain"


def test_a_method_replaced_on_one_object_is_the_classs_again():
    class Head:
        def look(self):
            return "plain"

    head = Head()
    with replaced(head, "look", lambda: "lean"):
        assert head.look() == "lean"
        assert Head().look() == "plain"
    assert head.look() == "plain"
    assert "look" not in vars(head)

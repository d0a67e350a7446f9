"""Every number must be what the text alone, after its own beginning, would have given."""

import pytest

from jurybox_judging.engines.shared import shared_prefix
from jurybox_judging.engines.shared.shared_prefix import (
    Beginning,
    FeatureMemory,
    SharedPrefix,
    TokenTree,
    grouped,
)
from jurybox_judging.engines.shared.torch_setup import prepare
from jurybox_judging.errors import EngineRefused

BEGINNINGS = ([5, 6, 7, 8, 9, 5, 6], [9, 8, 7], [4, 4, 4, 4, 4, 4])
TEXTS = ([1, 2, 3], [1, 2, 4, 5], [2], [1, 2, 3])


@pytest.fixture(scope="module", params=["sdpa", "eager"])
def llama(request):
    """A plain language model with one axis of places: nothing here is about one family."""
    prepare().manual_seed(0)
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=12,
        hidden_size=16,
        intermediate_size=24,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        initializer_range=0.4,
        attn_implementation=request.param,
    )
    return LlamaForCausalLM(config).eval()


def shared(llama, tokens=shared_prefix.TOKENS):
    return SharedPrefix(llama.get_input_embeddings(), llama.model, llama.lm_head, tokens)


def row(llama, beginning, texts=TEXTS):
    torch = prepare()
    tree = TokenTree()
    wanted = [tree.follow(text)[-1] for text in texts]
    embeds = llama.get_input_embeddings()(torch.tensor(beginning))
    places = torch.arange(len(beginning))[None]
    return Beginning(embeds, places, len(beginning), tree, wanted)


def alone(llama, beginning, texts=TEXTS):
    torch = prepare()
    return torch.stack([llama(torch.tensor([beginning + text])).logits[0, -1] for text in texts])


@pytest.mark.parametrize("one_go", [0, 1000])
@pytest.mark.parametrize("tokens", [1, 24, 8192])
def test_texts_together_score_as_each_alone(llama, monkeypatch, one_go, tokens):
    monkeypatch.setattr(shared_prefix, "_ONE_GO", one_go)
    monkeypatch.setattr(shared_prefix, "_SLACK", 0)
    torch = prepare()
    with torch.inference_mode():
        told = shared(llama, tokens).scores([row(llama, one) for one in BEGINNINGS])
        for scores, beginning in zip(told, BEGINNINGS, strict=True):
            torch.testing.assert_close(scores, alone(llama, beginning), atol=1e-5, rtol=0)


def test_scores_come_back_in_the_order_of_the_rows(llama):
    torch = prepare()
    with torch.inference_mode():
        there = shared(llama).scores([row(llama, one) for one in BEGINNINGS])
        back = shared(llama).scores([row(llama, one) for one in reversed(BEGINNINGS)])
    for one, other in zip(there, reversed(back), strict=True):
        torch.testing.assert_close(one, other, atol=1e-5, rtol=0)


def test_rows_with_different_texts_share_a_pass(llama):
    few, many = [[1], [3]], [[1, 2, 3, 4, 5], [2, 2, 2], [7]]
    torch = prepare()
    with torch.inference_mode():
        rows = [row(llama, BEGINNINGS[0], few), row(llama, BEGINNINGS[2], many)]
        told = shared(llama).scores(rows)
        torch.testing.assert_close(told[0], alone(llama, BEGINNINGS[0], few), atol=1e-5, rtol=0)
        torch.testing.assert_close(told[1], alone(llama, BEGINNINGS[2], many), atol=1e-5, rtol=0)


def test_a_sliding_window_is_refused(llama):
    config = type(llama.config)(**{**llama.config.to_dict()})
    config._attn_implementation = "sdpa"
    config.layer_types = ["full_attention", "sliding_attention"]
    with pytest.raises(EngineRefused, match="sliding window"):
        shared_prefix._check_attention(config)


def test_attention_that_takes_no_mask_is_refused(llama):
    config = type(llama.config)(**{**llama.config.to_dict()})
    config._attn_implementation = "flash_attention_2"
    with pytest.raises(EngineRefused, match="“sdpa” or “eager”, not “flash_attention_2”"):
        shared_prefix._check_attention(config)


def test_texts_that_begin_alike_share_their_tokens():
    tree = TokenTree()
    assert tree.follow([7, 8, 9]) == [0, 1, 2]
    assert tree.follow([7, 8, 5]) == [0, 1, 3]
    assert tree.follow([7, 8, 9]) == [0, 1, 2]
    assert tree.follow([7]) == [0]
    assert tree.follow([9, 9], after=2) == [4, 5]
    assert tree.tokens == [7, 8, 9, 5, 9, 9]
    assert tree.depths == [0, 1, 2, 2, 3, 4]
    assert tree.path(5) == [7, 8, 9, 9, 9]
    assert tree.path(3) == [7, 8, 5]
    assert len(tree) == 6


def test_a_token_sees_those_that_lead_to_it_and_no_others():
    tree = TokenTree()
    tree.follow([7, 8])
    tree.follow([7, 9])
    tree.follow([5])
    #   sees   7  8  9  5
    assert tree.sees().tolist() == [
        [True, False, False, False],
        [True, True, False, False],
        [True, False, True, False],
        [False, False, False, True],
    ]


def test_rows_of_like_length_pass_together_up_to_so_many_tokens():
    # The longest first: 100 + 10; 90 + 10 pads to 110 and stays, two of them are 220 tokens.
    lengths = [(90, 10), (100, 10), (20, 10), (89, 10)]
    assert list(grouped(lengths, 220)) == [[1, 0], [3], [2]]
    assert list(grouped(lengths, 10_000)) == [[1, 0, 3], [2]]
    assert list(grouped(lengths, 1)) == [[1], [0], [3], [2]]
    assert list(grouped([], 100)) == []


def test_the_texts_of_a_group_count_as_long_as_the_longest_of_them():
    # 100 + 50 pads the texts of the first row to 50: 2 * (101 + 50) = 302 tokens.
    lengths = [(101, 20), (100, 50)]
    assert list(grouped(lengths, 301)) == [[0], [1]]
    assert list(grouped(lengths, 302)) == [[0, 1]]


def test_a_row_without_a_question_is_not_passed_over():
    with pytest.raises(ValueError, match="nothing to score"):
        list(grouped([(5, 0)], 100))


def test_the_memory_forgets_what_was_not_used_for_longest():
    memory = FeatureMemory(10)
    for name in "abc":
        memory.keep(name, name.upper(), 4 if name != "c" else 2)
    assert memory.get("a") == "A"
    memory.keep("d", "D", 4)
    assert [memory.get(name) for name in "abcd"] == ["A", None, "C", "D"]
    assert memory.used == 10


def test_the_memory_counts_a_thing_kept_twice_once():
    memory = FeatureMemory(10)
    memory.keep("a", "A", 6)
    memory.keep("a", "B", 8)
    assert (memory.get("a"), memory.used) == ("B", 8)


def test_what_is_larger_than_the_memory_is_not_kept_and_displaces_nothing():
    memory = FeatureMemory(10)
    memory.keep("a", "A", 6)
    memory.keep("b", "B", 11)
    assert (memory.get("a"), memory.get("b"), memory.used) == ("A", None, 6)

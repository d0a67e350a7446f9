"""Many short texts after one long beginning, each token computed once.

All questions about a picture have the same beginning, the text before it and the picture itself:
hundreds of tokens, while only a dozen words differ. So the beginning goes through the language
model once, and the questions follow it together as one row: a tree, in which questions that begin
alike share tokens. A mask lets each token see only the beginning and its own branch, so every
number is the same as for the question alone.

Short rows run in one pass. Long ones run in two, since a causal beginning without a mask is
cheaper than with one. Pictures of about the same length run together.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from jurybox_judging.engines.shared.torch_setup import prepare
from jurybox_judging.errors import EngineRefused

TOKENS = (
    8192  # in one pass: fills a large accelerator, and fits beside a model of 8 billion weights
)
_ONE_GO = 640  # tokens of a row up to which the mask costs less than a second pass
_SLACK = 0.8  # a row shorter than this share of the longest waits for another pass


class TokenTree:
    """Texts as branches, which share nodes where they begin alike. Parents precede children."""

    def __init__(self) -> None:
        self.tokens: list[int] = []
        self.parents: list[int] = []
        self.depths: list[int] = []
        self._children: dict[tuple[int, int], int] = {}

    def __len__(self) -> int:
        return len(self.tokens)

    def follow(self, tokens: Sequence[int], after: int = -1) -> list[int]:
        """The nodes of a text that goes on after a node (-1: after the beginning)."""
        nodes = []
        for token in tokens:
            after = self._child(after, token)
            nodes.append(after)
        return nodes

    def path(self, node: int) -> list[int]:
        """The tokens from the beginning up to a node."""
        tokens = []
        while node >= 0:
            tokens.append(self.tokens[node])
            node = self.parents[node]
        return tokens[::-1]

    def sees(self) -> np.ndarray:
        """Which node (row) sees which (column): itself and those that lead to it."""
        seen = np.eye(len(self), dtype=bool)
        for node, parent in enumerate(self.parents):
            if parent >= 0:
                seen[node] |= seen[parent]
        return seen

    def _child(self, parent: int, token: int) -> int:
        child = self._children.setdefault((parent, token), len(self))
        if child == len(self):
            self.tokens.append(token)
            self.parents.append(parent)
            self.depths.append(self.depths[parent] + 1 if parent >= 0 else 0)
        return child


@dataclass
class Beginning:
    """One beginning and the texts after it.

    `embeds` (length, width) is the beginning as the language model takes it in; `positions`
    (axes, length) are its places, one axis for most models, three for M-RoPE; `start` is the
    place of the first token after it. `layers` are features added at `at` behind each of the
    first layers (DeepStack). `words` are the tokens of text in the beginning; `wanted` are the nodes
    after which the next token is scored.
    """

    embeds: Any
    positions: Any
    start: int
    tree: TokenTree
    wanted: list[int]
    at: Any = None
    layers: Sequence[Any] = field(default_factory=tuple)
    words: frozenset[int] = frozenset()

    @property
    def lengths(self) -> tuple[int, int]:
        return len(self.embeds), len(self.tree)


class SharedPrefix:
    """Scores of the next token: `embed` → `decoder` → `head` are the parts of a causal model."""

    def __init__(self, embed: Any, decoder: Any, head: Any, tokens: int = TOKENS) -> None:
        _check_attention(decoder.config)
        self.embed, self.decoder, self.head = embed, decoder, head
        self.tokens = tokens

    def scores(self, rows: Sequence[Beginning]) -> list[Any]:
        """For each row (wanted, vocabulary): raw scores, in the order of its wanted nodes."""
        results: list[Any] = [None] * len(rows)
        for group in grouped([row.lengths for row in rows], self.tokens):
            together = [rows[place] for place in group]
            for place, scores in zip(group, self._scores(together), strict=True):
                results[place] = scores
        return results

    def _scores(self, rows: Sequence[Beginning]) -> Sequence[Any]:
        before = max(len(row.embeds) for row in rows)
        after = max(len(row.tree) for row in rows)
        embeds, positions = self._padded(rows, before, after)
        mask = _mask(rows, before, after)
        if before + after <= _ONE_GO:
            beginning = np.tri(before, before + after, dtype=bool)
            mask = np.concatenate(
                [np.broadcast_to(beginning, (len(rows), *beginning.shape)), mask], 1
            )
            hidden = self._pass(embeds, positions, mask, None, rows)
        else:
            cache = _cache(self.decoder.config)
            self._pass(embeds[:, :before], positions[..., :before], None, cache, rows)
            hidden = self._pass(embeds[:, before:], positions[..., before:], mask, cache, ())
        lines = [line for line, row in enumerate(rows) for _ in row.wanted]
        nodes = [hidden.shape[1] - after + node for row in rows for node in row.wanted]
        return self.head(hidden[lines, nodes]).split([len(row.wanted) for row in rows])

    def _padded(self, rows: Sequence[Beginning], before: int, after: int) -> tuple[Any, Any]:
        """Beginnings and texts, each padded on the right, where causality hides the padding."""
        torch = prepare()
        first = rows[0]
        embeds = first.embeds.new_zeros(len(rows), before + after, first.embeds.shape[-1])
        positions = first.positions.new_zeros(len(first.positions), len(rows), before + after)
        for line, row in enumerate(rows):
            length, texts = row.lengths
            tokens, depths = torch.tensor([row.tree.tokens, row.tree.depths], device=embeds.device)
            embeds[line, :length] = row.embeds
            embeds[line, before : before + texts] = self.embed(tokens)
            positions[:, line, :length] = row.positions
            positions[:, line, before : before + texts] = row.start + depths
        return embeds, positions if len(positions) > 1 else positions[0]

    def _pass(
        self, embeds: Any, positions: Any, mask: Any, cache: Any, rows: Sequence[Beginning]
    ) -> Any:
        """With `rows`, their layers of features are added; the texts after them have none."""
        torch = prepare()
        more: dict[str, Any] = {}
        if rows and rows[0].layers:
            at = torch.zeros(embeds.shape[:2], dtype=torch.bool, device=embeds.device)
            for line, row in enumerate(rows):
                at[line, : len(row.at)] = row.at
            more["visual_pos_masks"] = at
            more["deepstack_visual_embeds"] = [
                torch.cat(layer) for layer in zip(*(row.layers for row in rows), strict=True)
            ]
        if mask is not None:
            # Numbers to be added: a mask of truth values is silently misread by eager attention.
            blocked = torch.finfo(embeds.dtype).min
            mask = torch.from_numpy(~mask)[:, None].to(embeds.device)
            mask = torch.zeros(mask.shape, dtype=embeds.dtype, device=embeds.device).masked_fill_(
                mask, blocked
            )
        return self.decoder(
            inputs_embeds=embeds,
            position_ids=positions,
            attention_mask=mask,
            past_key_values=cache,
            use_cache=cache is not None,
            **more,
        ).last_hidden_state


def grouped(lengths: Sequence[tuple[int, int]], tokens: int) -> Iterator[list[int]]:
    """Places of rows that pass together: alike in length, and not more tokens than allowed."""
    group: list[int] = []
    longest, most = 0, 0
    for place in sorted(range(len(lengths)), key=lambda place: lengths[place], reverse=True):
        before, after = lengths[place]
        if not after:
            raise ValueError("A row without a question has nothing to score.")
        widest = max(most, after)
        full = (len(group) + 1) * (longest + widest) > tokens
        if group and (full or before + after < _SLACK * (longest + widest)):
            yield group
            group = []
        if not group:
            longest, widest = before, after
        group.append(place)
        most = widest
    if group:
        yield group


class FeatureMemory:
    """Recently computed features, up to a number of bytes; the least recently used go first."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.used = 0
        self._kept: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()

    def get(self, key: Hashable) -> Any:
        if key not in self._kept:
            return None
        self._kept.move_to_end(key)
        return self._kept[key][0]

    def keep(self, key: Hashable, value: Any, size: int) -> None:
        self.used -= self._kept.pop(key, (None, 0))[1]
        if size > self.limit:
            return
        self._kept[key] = (value, size)
        self.used += size
        while self.used > self.limit:
            self.used -= self._kept.popitem(last=False)[1][1]


def _mask(rows: Sequence[Beginning], before: int, after: int) -> np.ndarray:
    """(rows, after, before + after): what each token of the texts sees.

    Padding sees itself, lest its softmax be empty.
    """
    mask = np.zeros((len(rows), after, before + after), bool)
    mask[:, range(after), range(before, before + after)] = True
    for line, row in enumerate(rows):
        length, texts = row.lengths
        mask[line, :, :length] = True
        mask[line, :texts, before : before + texts] = row.tree.sees()
    return mask


def _cache(config: Any) -> Any:
    from transformers import DynamicCache

    return DynamicCache(config=config)


def _check_attention(config: Any) -> None:
    """With anything but full attention under a given mask, results would be silently wrong."""
    way = getattr(config, "_attn_implementation", None)
    if way not in ("sdpa", "eager"):
        raise EngineRefused(
            f"Questions with a shared beginning need the attention “sdpa” or “eager”, not “{way}”."
        )
    if "sliding_attention" in (getattr(config, "layer_types", None) or ()):
        raise EngineRefused(
            "This checkpoint looks through a sliding window, which questions with a shared "
            "beginning do not reproduce."
        )

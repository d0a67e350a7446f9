"""CLIP-FlanT5, the model of VQAScore: vision tower, projector and T5 in one checkpoint.

A picture is encoded and projected once, however many questions there are about it. T5 reads in
both directions, so its encoding of the picture depends on the question: no prefix can be shared,
and the encoder reads the picture with each question, many at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image

from jurybox_judging.engines.shared import weights
from jurybox_judging.engines.shared.batches import in_rows, questions_at_once
from jurybox_judging.engines.shared.checkpoint import CheckpointEngine, pictures_or_found
from jurybox_judging.engines.shared.clip_pixels import padded, pixels
from jurybox_judging.engines.shared.control_tokens import expect_none, marks_of
from jurybox_judging.engines.shared.token_answers import AnswerReader
from jurybox_judging.errors import EngineRefused
from jurybox_judging.options import free_text, weights_of
from jurybox_judging.protocols import Answer, Question

NAMES = {"clip-flant5": {"class": "ClipFlanT5", "needs": ("torch", "transformers")}}

# The checkpoints were trained on conversations in exactly these words, blanks included.
CHAT = (
    "A chat between a curious user and an artificial intelligence assistant. "
    "The assistant gives helpful, detailed, and polite answers to the user's questions. "
    "USER: <image>\n{question} ASSISTANT: "
)
_SHOWS = 'Does this figure show "{}"? Please answer yes or no.'
_PICTURE = "<image>"
_QUESTION = "{question}"
_LONGEST = 2048
# The tower of the published checkpoints, which do not describe it: CLIP ViT-L/14 at 336 pixels.
_TOWER = {
    "hidden_size": 1024,
    "intermediate_size": 4096,
    "num_hidden_layers": 24,
    "num_attention_heads": 16,
    "image_size": 336,
    "patch_size": 14,
    "projection_dim": 768,
}


@dataclass(eq=False)
class ClipFlanT5(CheckpointEngine):
    batch: int = pictures_or_found(4)
    template: str = free_text(
        CHAT,
        "The words around a question, with <image> and {question} once each.",
        longest=4_000,
        is_fact=True,
    )
    tokenizer: str = weights_of("", "Where T5's is, if not beside the weights.")
    vision: str = weights_of(
        "",
        "Whose configuration describes the tower; empty: CLIP ViT-L/14 at 336 pixels.",
    )
    rows: int = questions_at_once(16)

    identity = "judges.engines.clip_flant5:ClipFlanT5"
    version = "1"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.template.count(_PICTURE) != 1 or self.template.count(_QUESTION) != 1:
            raise ValueError(f"“template” must hold {_PICTURE} once and {_QUESTION} once.")

    def _load(self) -> None:
        weights.prepare()
        from transformers import CLIPVisionConfig, T5Tokenizer

        tower = CLIPVisionConfig(**_TOWER)
        if self.vision:
            tower = weights.load_processor(CLIPVisionConfig, self.vision)
        # The original class keeps a third name for the one table of words.
        self._t5 = self._model(_model_class(tower), ignore=(r"^embed_tokens\.weight$",))
        if getattr(self._t5.config, "scale_decoder_outputs", None) is False:
            self._expect_own_head()
        self._tokenizer = self._processor(T5Tokenizer, self.tokenizer)
        self._reader = AnswerReader(self._tokenizer, end=(self._tokenizer.eos_token_id,))
        self._marks = marks_of(self._tokenizer)

    def _expect_own_head(self) -> None:
        head, words = self._t5.lm_head.weight, self._t5.shared.weight
        if head.data_ptr() == words.data_ptr():
            raise EngineRefused(
                f"“{self.checkpoint}” should have a head of its own (lm_head.weight), but has none."
            )

    def answer(self, asked: Sequence[tuple[Image.Image, Sequence[Question]]]) -> list[list[Answer]]:
        self.load()
        torch = weights.prepare()
        answered: list[list[Answer]] = [[] for _ in asked]
        places = [place for place, (_, questions) in enumerate(asked) if questions]
        if not places:
            return answered
        by_row: dict[tuple[int, str], list[Question]] = {}
        for place in places:
            for question in asked[place][1]:
                by_row.setdefault((place, question.text), []).append(question)
        answers: dict[tuple[int, Question], Answer] = {}
        with torch.inference_mode():
            with weights.memory_guard():
                seen = dict(zip(places, self._see([asked[p][0] for p in places]), strict=True))

            def read(some: Sequence[tuple[int, str]]) -> None:
                states, mask = self._read([(seen[place], text) for place, text in some])
                questions = [(row, q) for row, key in enumerate(some) for q in by_row[key]]
                logits = self._decoded(questions, states, mask)
                batch = self._reader.read([question for _, question in questions], logits)
                for (row, question), answer in zip(questions, batch, strict=True):
                    answers[some[row][0], question] = answer

            in_rows(self, list(by_row), read)
        for place in places:
            answered[place] = [answers[place, question] for question in asked[place][1]]
        return answered

    def similarities(self, pairs: Sequence[tuple[Image.Image, str]]) -> list[float]:
        """VQAScore by its first release: the probability of “Yes” and the end mark after it."""
        texts = [_SHOWS.replace("{}", text) for _, text in pairs]
        asked = [
            (image, [Question(text, ("Yes",), "sequence")])
            for (image, _), text in zip(pairs, texts, strict=True)
        ]
        found = []
        for start in range(0, len(asked), self.batch):
            for (answer,) in self.answer(asked[start : start + self.batch]):
                if answer.probability is None:
                    raise ValueError(answer.reason or "It gave no probability.")
                found.append(answer.probability)
        return found

    def _see(self, images: Sequence[Image.Image]) -> Any:
        """What T5 gets for each picture: one vector for each patch."""
        torch, tower = weights.prepare(), _tower(self._t5)
        side = tower.config.image_size
        values = torch.from_numpy(np.stack([pixels(padded(image), side) for image in images]))
        out = tower(values.to(self._t5.device, self._t5.dtype), output_hidden_states=True)
        # The last layer but one, without the token that stands for the whole picture.
        return self._t5.mm_projector(out.hidden_states[-2][:, 1:])

    def _read(self, rows: Sequence[tuple[Any, str]]) -> tuple[Any, Any]:
        torch = weights.prepare()
        before, after = self.template.split(_PICTURE)
        parts = []
        for picture, text in rows:
            # The texts before and after the picture are tokenized separately, each with its own
            # end mark, as in training.
            first, last = (
                self._t5.shared(torch.tensor(self._tokens(part, text), device=picture.device))
                for part in (before, after)
            )
            parts.append(torch.cat([first, picture, last])[:_LONGEST])
        embedded = torch.nn.utils.rnn.pad_sequence(parts, batch_first=True)
        lengths = torch.tensor([len(part) for part in parts], device=embedded.device)
        mask = torch.arange(embedded.shape[1], device=embedded.device) < lengths[:, None]
        states = self._t5.encoder(inputs_embeds=embedded, attention_mask=mask.long())
        return states.last_hidden_state, mask.long()

    def _tokens(self, part: str, text: str) -> list[int]:
        expect_none(text, self._marks)
        return self._tokenizer(part.replace(_QUESTION, text))["input_ids"]

    def _decoded(self, questions: Sequence[tuple[int, Question]], states: Any, mask: Any) -> Any:
        torch = weights.prepare()
        from transformers.modeling_outputs import BaseModelOutput

        forced = [self._reader.forced(question) for _, question in questions]
        longest = max(len(tokens) for tokens in forced)
        start, filler = self._t5.config.decoder_start_token_id, self._t5.config.pad_token_id
        lines = [[start, *tokens] + [filler] * (longest - len(tokens)) for tokens in forced]
        at = torch.tensor([row for row, _ in questions], device=states.device)
        logits = self._t5(
            encoder_outputs=BaseModelOutput(last_hidden_state=states[at]),
            attention_mask=mask[at],
            decoder_input_ids=torch.tensor(lines, device=states.device),
            use_cache=False,
        ).logits
        kept = [(row, step) for row, t in enumerate(forced) for step in range(len(t) + 1)]
        row, step = zip(*kept, strict=True)
        # The table of words is padded to a round number; the original cuts it to the tokenizer's.
        return logits[list(row), list(step), : len(self._tokenizer)]


def _model_class(tower: Any) -> Any:
    """T5 with a tower and a projector, under the names of the published checkpoints."""
    from torch import nn
    from transformers import CLIPVisionModel, T5ForConditionalGeneration

    class ClipT5(T5ForConditionalGeneration):
        def __init__(self, config: Any) -> None:
            super().__init__(config)
            vision = CLIPVisionModel(tower)
            self.vision_tower = nn.Module()
            if hasattr(vision, "vision_model"):
                self.vision_tower.vision_tower = vision
            else:
                # Newer versions of the library leave a level of names out.
                self.vision_tower.vision_tower = nn.Module()
                self.vision_tower.vision_tower.vision_model = vision
            self.mm_projector = nn.Sequential(
                nn.Linear(tower.hidden_size, config.d_model),
                nn.GELU(),
                nn.Linear(config.d_model, config.d_model),
            )

    return ClipT5


def _tower(model: Any) -> Any:
    vision = model.vision_tower.vision_tower
    return vision if hasattr(vision, "config") else vision.vision_model

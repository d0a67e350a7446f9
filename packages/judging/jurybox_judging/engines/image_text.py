"""Any model of transformers that takes a picture and a text: LLaVA, InstructBLIP, BLIP-2, Gemma …

Questions about all pictures of a batch go through the model together, several rows at a time. The
encoded picture is not shared between its questions, since each family of models does that
differently. Families where it pays have an engine of their own.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PIL import Image

from jurybox_judging.engines.shared import weights
from jurybox_judging.engines.shared.batches import in_rows, questions_at_once
from jurybox_judging.engines.shared.checkpoint import CheckpointEngine
from jurybox_judging.engines.shared.clip_pixels import cut_square, padded
from jurybox_judging.engines.shared.control_tokens import expect_none, marks_of
from jurybox_judging.engines.shared.shown_pictures import named_pictures, title_of
from jurybox_judging.engines.shared.token_answers import AnswerReader
from jurybox_judging.errors import EngineRefused
from jurybox_judging.options import choice, fields_of_request, flag, free_text
from jurybox_judging.protocols import (
    THINKING_CLOSED,
    THINKING_OPENED,
    Answer,
    Question,
    Shown,
    Talk,
)

NAMES = {"image-text": {"class": "ImageTextModel", "needs": ("torch", "transformers")}}

_QUESTION = "{question}"
_CLOSING = f"\n{THINKING_CLOSED}\n\n"
_ALONE = ("",)  # the names of a picture alone
# Of `apply_chat_template`, what the engine itself decides.
_OURS = {
    *("conversation", "chat_template", "tokenize", "add_generation_prompt", "padding"),
    *("continue_final_message", "return_dict", "return_tensors", "truncation", "max_length"),
    *("messages", "tools", "documents", "processor_kwargs", "tokenizer_kwargs", "kwargs", "self"),
    *("return_assistant_tokens_mask", "load_audio_from_video"),
}


@dataclass(eq=False)
class PictureAndText(CheckpointEngine):
    """The scores are the model's own, before any generation setting of the checkpoint."""

    template = ""
    square = ""
    end_mark = False
    chat: Mapping[str, Any] | None = None
    rows = 16
    continue_replies = True

    def __post_init__(self) -> None:
        super().__post_init__()
        # Words around a question have one place for a picture.
        self.takes_several = not self.template

    def _load(self) -> None:
        weights.prepare()
        from transformers import AutoModelForImageTextToText, AutoProcessor

        self._processing = self._processor(AutoProcessor)
        # Scores are read after the last token of each row, with nothing before the first.
        self._processing.tokenizer.padding_side = "right"
        if not self.template and not getattr(self._processing, "chat_template", None):
            raise EngineRefused(
                f"“{self.checkpoint}” has no chat template: give the words around a question as "
                "the option template, such as “Question: {question} Answer:”."
            )
        self._net = self._model(AutoModelForImageTextToText)
        self._text = self._net.config.get_text_config()
        self._is_pair = bool(getattr(self._text, "is_encoder_decoder", False))
        picture = str(getattr(self._processing, "image_token", "") or "<image>")
        self._marks = marks_of(self._processing.tokenizer, picture)
        scores_end = self._is_pair or self.end_mark
        end = (self._processing.tokenizer.eos_token_id,) if scores_end else ()
        self._reader = AnswerReader(self._processing.tokenizer, end)
        self._can_keep = "logits_to_keep" in inspect.signature(self._net.forward).parameters

    def answer(self, asked: Sequence[tuple[Shown, Sequence[Question]]]) -> list[list[Answer]]:
        self.load()
        split = [self._split(shown) for shown, _ in asked]
        rows: dict[tuple[int, str, tuple[int, ...]], list[Question]] = {}
        for place, (_, questions) in enumerate(asked):
            for question in questions:
                text = self._chat_text(question.text, split[place][0], question.reply_start)
                key = (place, text, self._reader.forced(question))
                rows.setdefault(key, []).append(question)
        answers: dict[tuple[int, Question], Answer] = {}

        def read(some: Sequence[tuple[int, str, tuple[int, ...]]]) -> None:
            scores = self._scores([(split[p][1], text, forced) for p, text, forced in some])
            for key, logits in zip(some, scores, strict=True):
                for question in rows[key]:
                    (answers[key[0], question],) = self._reader.read([question], logits)

        with weights.prepare().inference_mode():
            in_rows(self, list(rows), read)
        return [
            [answers[place, question] for question in questions]
            for place, (_, questions) in enumerate(asked)
        ]

    def talk(self, asked: Sequence[tuple[Shown, Talk]]) -> list[tuple[str, ...]]:
        self.load()
        with weights.memory_guard(), weights.prepare().inference_mode():
            return [self._converse(*self._split(shown), talk) for shown, talk in asked]

    def _split(self, shown: Shown) -> tuple[tuple[str, ...], list[Image.Image]]:
        """The names of the pictures, and the pictures as the model takes them."""
        named = named_pictures(shown)
        return tuple(name for name, _ in named), [self._squared(image) for _, image in named]

    def _squared(self, image: Image.Image) -> Image.Image:
        if self.square == "longest":
            return padded(image)
        if self.square == "shortest":
            size = self._processing.image_processor.size
            return cut_square(image, int(size.get("shortest_edge") or size["height"]))
        return image.convert("RGB")

    # --- questions

    def _chat_text(self, text: str, names: tuple[str, ...] = _ALONE, reply_start: str = "") -> str:
        expect_none(text + reply_start, self._marks)
        if self.template:
            if len(names) > 1:
                raise ValueError("A model without a chat template takes one picture.")
            return self.template.replace(_QUESTION, text) + reply_start
        return self._rendered([_turn("user", text, names)]) + reply_start

    def _rendered(self, messages: list[dict[str, Any]]) -> str:
        return self._processing.apply_chat_template(
            messages, tokenize=False, add_generation_prompt=True, **(self.chat or {})
        )

    def _processor_inputs(self, images: list[list[Image.Image]], texts: list[str]) -> Any:
        begin = self._processing.tokenizer.bos_token
        # Some chat templates already write the mark of the beginning that the tokenizer adds.
        twice = bool(begin) and all(text.startswith(begin) for text in texts)
        given = self._processing(
            # A list for each text: some families take a flat list as the pictures of one text.
            images=images,
            text=texts,
            padding=True,
            # Some processors have a side of their own, whatever the tokenizer's is.
            padding_side="right",
            return_tensors="pt",
            **({"add_special_tokens": False} if twice else {}),
        )
        return given.to(self._net.device, self._net.dtype)

    def _scores(self, rows: Sequence[tuple[list[Image.Image], str, tuple[int, ...]]]) -> list[Any]:
        """For each row the scores after the text, then after each of its forced tokens."""
        torch = weights.prepare()
        given = self._processor_inputs(
            [images for images, _, _ in rows], [text for _, text, _ in rows]
        )
        forced = [tokens for _, _, tokens in rows]
        if self._is_pair:
            lines = _pad_lines([[self._text.decoder_start_token_id, *t] for t in forced], 0)
            lines = torch.tensor(lines, device=self._net.device)
            logits = self._net(**given, decoder_input_ids=lines).logits
            return [logits[row, : len(tokens) + 1] for row, tokens in enumerate(forced)]
        lengths = given["attention_mask"].sum(1).tolist()
        given = _lengthened(torch, given, lengths, forced)
        whole, first = given["input_ids"].shape[1], min(lengths) - 1
        # One vector of scores for each token of each picture would fill the memory.
        keep = {"logits_to_keep": whole - first} if self._can_keep else {}
        logits = self._net(**given, **keep, use_cache=False).logits
        skipped = first if keep else 0
        if logits.shape[1] != whole - skipped:
            raise EngineRefused(
                f"“{self.checkpoint}” scores {logits.shape[1]} tokens where {whole - skipped} were "
                "given: this engine cannot tell which is which."
            )
        return [
            logits[row, length - 1 - skipped : length + len(tokens) - skipped]
            for row, (length, tokens) in enumerate(zip(lengths, forced, strict=True))
        ]

    # --- conversations

    def _converse(
        self, names: tuple[str, ...], images: list[Image.Image], talk: Talk
    ) -> tuple[str, ...]:
        """With its own seed, leaving everybody else's random numbers alone."""
        torch = weights.prepare()
        if self.template and len(talk.turns) > 1:
            raise ValueError("A model without a chat template takes one turn, not a conversation.")
        devices = [self._net.device] if self._net.device.type == "cuda" else []
        messages: list[dict[str, Any]] = []
        replies: list[str] = []
        with torch.random.fork_rng(devices=devices):
            torch.manual_seed(talk.seed)
            for turn in talk.turns:
                expect_none(turn, self._marks)
                messages.append(_turn("user", turn, () if messages else names))
                text = self._chat_text(turn, names) if self.template else self._rendered(messages)
                replies.append(self._reply(images, text, talk))
                # Models are trained to read what they answered before, without what they thought.
                before = (
                    replies[-1].rpartition(THINKING_CLOSED)[2].strip()
                    if talk.thinking_tokens
                    else ""
                )
                messages.append(_turn("assistant", before or replies[-1]))
        return tuple(replies)

    def _reply(self, images: list[Image.Image], text: str, talk: Talk) -> str:
        given = self._processor_inputs([images], [text])
        how: dict[str, Any] = {"do_sample": False}
        if talk.temperature:
            how = {"do_sample": True, "temperature": talk.temperature}
        if talk.thinking_tokens and not self._is_pair:
            return self._thought_reply(given, text, talk, how)
        tokens = self._net.generate(**given, max_new_tokens=talk.max_tokens, **how)[0]
        if not self._is_pair:
            tokens = tokens[given["input_ids"].shape[1] :]
        return self._processing.tokenizer.decode(tokens, skip_special_tokens=True).strip()

    def _thought_reply(self, given: Any, text: str, talk: Talk, how: Mapping[str, Any]) -> str:
        """Two goes: so many tokens of thinking, then, closed if the model has not done so, the answer."""
        words, length = self._processing.tokenizer, given["input_ids"].shape[1]
        thought = self._net.generate(**given, max_new_tokens=talk.thinking_tokens, **how)[0][
            length:
        ]
        said = thought.tolist()
        # Some chat templates write the first mark for the model.
        opened = f"{THINKING_OPENED}\n" if text.rstrip().endswith(THINKING_OPENED) else ""
        if len(said) == talk.thinking_tokens and said[-1] not in ends_of(self._net):
            thinks = opened + words.decode(said)
            if THINKING_OPENED in thinks and THINKING_CLOSED not in thinks:
                said += words.encode(_CLOSING, add_special_tokens=False)
            torch = weights.prepare()
            longer = _lengthened(torch, given, [length], [tuple(said)])
            made = self._net.generate(**longer, max_new_tokens=talk.max_tokens, **how)[0]
            said = made[length:].tolist()
        reply = words.decode(said, skip_special_tokens=True).strip()
        return f"{opened}{reply}" if opened else reply


@dataclass(eq=False)
class ImageTextModel(PictureAndText):
    template: str = free_text(
        "",
        "The words around {question} for a model without a chat template of its own, such as "
        "BLIP-2's “Question: {question} Answer:”.",
        longest=4_000,
        is_fact=True,
    )
    square: str = choice(
        "",
        ("", "shortest", "longest"),
        "How a picture is made square before the checkpoint's own preparation. “shortest” cuts its "
        "ends off, “longest” adds bars of CLIP's mean color. Empty leaves that to the checkpoint.",
    )
    end_mark: bool = flag(
        False, "Of a decoder: the rule “sequence” scores the end mark after the answer, too."
    )
    chat: Mapping[str, Any] | None = fields_of_request(
        'Arguments of the checkpoint\'s chat template, such as {"enable_thinking": false}.',
        longest=1_000,
    )
    rows: int = questions_at_once(16)

    may_be_split = True
    identity = "judges.engines.image_text:ImageTextModel"
    version = "image-text-2"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.template and self.template.count(_QUESTION) != 1:
            raise ValueError(f"“template” must hold {_QUESTION} once.")
        for name, value in (self.chat or {}).items():
            if name in _OURS or not name.isidentifier():
                raise ValueError(f"“chat.{name}” is no argument of a chat template to choose.")
            if not isinstance(value, str | int | float | bool | None):
                raise ValueError(f"“chat.{name}” must be a text, a number, true or false.")
        if self.chat and self.template:
            raise ValueError("“chat” is for a chat template, and “template” takes its place.")


def ends_of(net: Any) -> tuple[int, ...]:
    """The tokens with which a reply ends."""
    ends = net.generation_config.eos_token_id
    return tuple(ends) if isinstance(ends, list | tuple) else (ends,)


def _turn(role: str, text: str, names: tuple[str, ...] = ()) -> dict[str, Any]:
    """With so many pictures before the text, each after the words that name it."""
    content = []
    for number, name in enumerate(names, start=1):
        if title := title_of(number, name):
            content.append({"type": "text", "text": title})
        content.append({"type": "image"})
    return {"role": role, "content": [*content, {"type": "text", "text": text}]}


def _lengthened(
    torch: Any, given: Mapping[str, Any], lengths: Sequence[int], forced: Sequence[tuple[int, ...]]
) -> dict[str, Any]:
    """Puts the forced tokens after each row's last token, and lengthens all that counts tokens."""
    ids, longest = given["input_ids"], max(len(tokens) for tokens in forced)
    longer = {
        name: torch.nn.functional.pad(value, (0, longest))
        if torch.is_tensor(value) and value.shape == ids.shape and "qformer" not in name
        else value
        for name, value in given.items()
    }
    for row, (length, tokens) in enumerate(zip(lengths, forced, strict=True)):
        end = length + len(tokens)
        longer["input_ids"][row, length:end] = torch.tensor(tokens, dtype=ids.dtype)
        longer["attention_mask"][row, length:end] = 1
    return longer


def _pad_lines(lines: list[list[int]], filler: int) -> list[list[int]]:
    longest = max(len(line) for line in lines)
    return [line + [filler] * (longest - len(line)) for line in lines]

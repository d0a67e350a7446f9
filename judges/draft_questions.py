"""Questions for TIFA and DSG, and rewritten prompts, drafted by a language model.

A draft is a file in the benchmark's own layout, which a person reads and corrects before importing
it; no text of a model gets into a study by itself. A rewritten prompt is for making images, never
for judging them.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from jurybox_formats.sources.shapes import misfit

TIFA_TYPES = (
    "object",
    "animal/human",
    "food",
    "location",
    "counting",
    "color",
    "material",
    "shape",
    "attribute",
    "spatial",
    "activity",
    "other",
)
DSG_TYPES = ("entity", "attribute", "relation", "global")
_JSON_ALONE = "Reply with a JSON list alone, without any other text."

TIFA = f"""Here is a description of an image. Write questions that tell whether an image shows what
the description says, one for each thing, property, number, place and activity that it names.
Ask only about what the description says. Each item of the list is an object with these keys:
"element" (the words of the description that the question is about), "element_type" (one of
{", ".join(TIFA_TYPES)}), "question", "choices" (two to four answers), "answer" (the right choice).
{_JSON_ALONE}

Description: {{prompt}}"""

DSG = f"""Here is a description of an image. Split what it says into the smallest statements that can
be checked one by one, and write a question for each that is answered with yes where the image shows
it. A question about a property or a relation depends on the questions whether the things are there.
Each item of the list is an object with these keys: "type" (one of {", ".join(DSG_TYPES)}), "detail"
(such as whole, color, count, spatial, action), "statement", "question", "depends_on" (a list with
the numbers of the questions that it depends on, counted from 1).
{_JSON_ALONE}

Description: {{prompt}}"""

# GenEval 2, appendix B.2, word for word.
REWRITING = """I am evaluating a text-to-image generation model. Given a short prompt, rewrite the \
prompt to a more detailed version.

Here are three examples:

Prompt: a photo of a dog right of a teddy bear
Detailed Prompt: A soft, beige teddy bear sits upright on a wooden floor. The teddy bear has round \
black eyes and a small stitched nose. Its fur is slightly matted, giving it a well-loved appearance. \
To the right of the teddy bear, a golden retriever dog stands on all fours. The dog’s fur is smooth \
and shiny, catching the light. Its ears are perked up, and its tail is slightly raised. The dog’s \
eyes are focused forward, exuding a calm and attentive expression. The scene is set in a realistic, \
photographic style, with natural lighting highlighting the textures of both the teddy bear and the \
dog.

Prompt: a photo of two backpacks
Detailed Prompt: There are two backpacks placed side by side on a wooden floor. Both backpacks are \
medium-sized and upright. The first backpack is black with a sleek, smooth texture. The second \
backpack is navy blue with a slightly rugged appearance. Each backpack has multiple zippered \
compartments visible on the front. The straps of both backpacks rest neatly against their sides. The \
lighting is soft, highlighting the realistic textures and colors of the materials. The scene is \
simple, focusing only on the two backpacks in a photographic style.

Prompt: a photo of a green bus and a purple microwave
Detailed Prompt: A vibrant green bus is parked on the left side of the scene. The bus has a glossy, \
metallic finish that reflects the surrounding light realistically. Its large windows are clean and \
transparent, revealing empty seats inside. On the right side, a compact purple microwave sits on a \
flat surface. The microwave has a matte finish, with a small digital display and a silver handle on \
its front. Both objects are positioned without overlap, ensuring their distinct colors and details \
are clearly visible. The scene is rendered in a photographic style, emphasizing lifelike textures \
and realistic lighting.

Here is the prompt for you to rewrite:
Prompt: {prompt}
Detailed Prompt:
Reply with the detailed prompt alone, with no extra text. Make sure the detailed prompt is under 110 \
words."""

LONGEST_REWRITTEN = 110  # words


@dataclass(frozen=True, slots=True)
class DraftForm:
    """`read` turns a reply into rows of the draft; a ValueError says why it cannot."""

    instruction: str
    read: Callable[[str, str, str], list[dict[str, Any]]]
    write: Callable[[Iterable[Mapping[str, Any]]], str]
    next_step: str

    def prompt_text(self, prompt: str) -> str:
        return self.instruction.replace("{prompt}", prompt)


def tifa_rows(key: str, prompt: str, reply: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for number, item in enumerate(_items(reply), 1):
        question, answer = _text(item, "question", number), _text(item, "answer", number)
        if misfit(item, {"choices": [str]}):
            raise ValueError(f"Question {number} has no list of choices.")
        if answer not in (choices := item["choices"]):
            raise ValueError(f"The answer to question {number} is none of its choices.")
        if any(question == row["question"] for row in rows):
            raise ValueError(f"Question {number} is asked twice.")
        rows.append(
            {
                "id": key,
                "caption": prompt,
                "question": question,
                "choices": choices,
                "answer": answer,
                "element_type": _one_of(item, "element_type", TIFA_TYPES, number),
                "element": _text(item, "element", number),
            }
        )
    return rows


def dsg_rows(key: str, prompt: str, reply: str) -> list[dict[str, Any]]:
    items = _items(reply)
    rows = []
    for number, item in enumerate(items, 1):
        parents = item.get("depends_on", [])
        if not isinstance(parents, list) or not all(
            type(parent) is int and 1 <= parent < number for parent in parents
        ):
            raise ValueError(f"Question {number} depends on something that does not come before.")
        rows.append(
            {
                "item_id": key,
                "text": prompt,
                "keywords": "",
                "proposition_id": number,
                "dependency": ",".join(str(parent) for parent in parents) or "0",
                "category_broad": _one_of(item, "type", DSG_TYPES, number),
                "category_detailed": _text(item, "detail", number),
                "tuple": _text(item, "statement", number),
                "question_natural_language": _text(item, "question", number),
            }
        )
    return rows


def rewritten_rows(key: str, prompt: str, reply: str) -> list[dict[str, Any]]:
    text = " ".join(reply.split())
    words = len(text.split())
    if not text or words > LONGEST_REWRITTEN:
        raise ValueError(f"The rewritten prompt has {words} words; 1 to {LONGEST_REWRITTEN} do.")
    return [{"prompt_id": key, "prompt": prompt, "rewritten": text, "variant": "rewritten"}]


def _items(reply: str) -> list[dict[str, Any]]:
    """The list in the reply, also where the model put it into a code block."""
    text = reply.strip()
    if text.startswith("```"):
        text = text.partition("\n")[2].rpartition("```")[0]
    try:
        items = json.loads(text)
    except ValueError:
        raise ValueError(f"The reply is no JSON: “{reply.strip()[:80]}”.") from None
    if not items or misfit(items, [dict]):
        raise ValueError("The reply is no list of questions.")
    return items


def _text(item: Mapping[str, Any], name: str, number: int) -> str:
    value = item.get(name)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"Question {number} has no “{name}”.")
    return value.strip()


def _one_of(item: Mapping[str, Any], name: str, known: tuple[str, ...], number: int) -> str:
    value = _text(item, name, number)
    if value not in known:
        raise ValueError(f"Question {number}: “{value}” is none of {', '.join(known)}.")
    return value


def _as_list(rows: Iterable[Mapping[str, Any]]) -> str:
    return json.dumps(list(rows), ensure_ascii=False, indent=1) + "\n"


def _as_lines(rows: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _as_table(rows: Iterable[Mapping[str, Any]]) -> str:
    rows, file = list(rows), io.StringIO()
    table = csv.DictWriter(file, fieldnames=list(rows[0]) if rows else [])
    table.writeheader()
    table.writerows(rows)
    return file.getvalue()


FORMS = {
    "tifa": DraftForm(TIFA, tifa_rows, _as_list, "import_study STUDY --format tifa {file}"),
    "dsg": DraftForm(DSG, dsg_rows, _as_table, "import_study STUDY --format dsg {file}"),
    "rewritten": DraftForm(
        REWRITING,
        rewritten_rows,
        _as_lines,
        "make images from it, and import those with variant = rewritten",
    ),
}

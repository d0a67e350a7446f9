"""Small files of each set, in the official form, with columns that nobody knows."""

from __future__ import annotations

import csv
import io
import json

CORE = {
    "C-MI-001": {
        "Main Class": "Composition",
        "Sub Class": "Multi-Instance",
        "Prompt": "A red cup and no dog.",
        "Checklist": [
            {"question": "Is there a cup?", "tags": ["instance_pos"]},
            {"question": "Is there no dog?", "tags": ["instance_neg"]},
        ],
        "Remark": "kept",
    },
    "C-MI-002": {
        "Main Class": "Composition",
        "Sub Class": "Multi-Instance",
        "Prompt": "Two cats.",
        "Checklist": [{"question": "Are there two cats?", "tags": []}],
    },
}


def table(*rows: dict) -> str:
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def lines(*rows: dict) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def unigen(index, prompt, language="en", **points):
    names = ("Testpoints", "Testpoint Description", "Primary Categories")
    if language == "zh":
        names = ("考点", "考点对应描述", "一级垂类")
    told = {names[2]: "Art", names[0]: list(points), names[1]: list(points.values())}
    dims = json.dumps(told, ensure_ascii=False)
    return {"index": index, f"prompt_{language}": prompt, f"sub_dims_{language}": dims}


def dpg(item, number, on, question, kind="entity - whole"):
    return {
        "item_id": item,
        "text": f"prompt of {item}",
        "keywords": "kept",
        "proposition_id": number,
        "dependency": on,
        "category_broad": kind.partition(" - ")[0],
        "category_detailed": kind.partition(" - ")[2],
        "tuple": f"{kind} (cup)",
        "question_natural_language": question,
    }


def wise(number, category="Cultural knowledge"):
    return {
        "prompt_id": number,
        "Prompt": f"The drink of country {number}",
        "Explanation": f"Tea number {number}",
        "Category": category,
        "Subcategory": "Food",
    }


def oneig(category, id, prompt):
    return {
        "category": category,
        "id": id,
        "prompt_en": prompt,
        "type_of_prompt": "NP",
        "prompt_length": "short",
        "class": "None",
    }


ONEIG_QUESTIONS = {
    "000": {
        "question": json.dumps({"1": "Is there a cup?", "2": "Is the cup red?"}),
        "dependency": json.dumps({"1": [0], "2": [1]}),
    }
}
TIIF = {
    "type": "color",
    "short_description": "A red cup.",
    "long_description": "A cup, red as can be.",
}
# name -> files
FILES = {
    "corebench": {"C-MI.json": json.dumps(CORE)},
    "unigenbench": {
        "test_prompts_en.csv": table(
            unigen(0, "A red cup", Style="ink", **{"Attribute - Color": "red"}),
            unigen(1, "Two cats", Style="oil"),
        ),
        "test_prompts_zh.csv": table(unigen(0, "红杯子", "zh", 风格="水墨画")),
    },
    "longtext": {
        "text_prompts.jsonl": lines(
            {"category": "sign", "length": "short", "prompt": "A sign", "text": ["OPEN", "9 to 5"]},
            {
                "prompt_id": 1,
                "category": "sign",
                "length": "long",
                "prompt": "A poster",
                "text": ["SALE"],
                "text_length": 4,
            },
        ),
        "text_prompts_zh.jsonl": lines(
            {"category": "sign", "length": "short", "prompt": "招牌", "text": ["营业中"]}
        ),
    },
    "dpg": {
        "dpg_bench.csv": table(
            dpg("0", 1, "0", "Is there a cup?"),
            dpg("0", 2, "1", "Is the cup red?", "attribute - color"),
            dpg("partiprompts7", 1, "0", "Is there a dog?"),
        ),
        "prompts/0.txt": "prompt of 0",
        "prompts/900.txt": "a prompt without questions",
    },
    "wise": {"cultural_common_sense.json": json.dumps([wise(1), wise(2)])},
    "oneig": {
        "OneIG-Bench.csv": table(
            oneig("Portrait", "000", "A woman with a red cup"),
            oneig("Text_Rendering", "000", "A sign"),
            oneig("Text_Rendering", "001", "A shop"),
        ),
        "Q_D/human.json": json.dumps(ONEIG_QUESTIONS),
        "text/text_content.csv": table(
            {"id": "000", "text_content": "OPEN"}, {"id": "001", "text_content": "SALE"}
        ),
    },
    "cvtg": {
        f"CVTG/{areas}.json": json.dumps(
            {
                "data_list": [
                    {
                        "index": 0,
                        "prompt": f"A sign '{areas}'",
                        "carrier_list": ["sign"],
                        "sentence_list": ["a sign"],
                    }
                ]
            }
        )
        for areas in (2, 3)
    },
    "tiif": {
        "test_prompts/color_prompts.jsonl": lines(TIIF, {**TIIF, "short_description": "A dog."}),
        "eval/color_eval_prompts.jsonl": lines(
            {
                "type": "color",
                "yn_question_list": ["Is it red?", "Is it blue?"],
                "yn_answer_list": ["yes", "no"],
            }
        ),
    },
}
# prompts, questions
COUNTS = {
    "corebench": (2, 3),
    "unigenbench": (3, 4),
    "longtext": (3, 0),
    "dpg": (3, 3),
    "wise": (2, 0),
    "oneig": (3, 2),
    "cvtg": (2, 0),
    "tiif": (4, 4),
}


def write(folder, name):
    for file, content in FILES[name].items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(content, encoding="utf-8", newline="")
    return folder

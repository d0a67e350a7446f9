"""What the scripts of the sets of edits write, about the edits of `edit_layouts.py`."""

import csv
import io
import json
import zipfile
from xml.sax.saxutils import escape

from tests.formats.sets.edit_layouts import put


def table(rows):
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


GEDIT = [
    {
        "key": "k0",
        "edited_image": f"edited/flux/fullset/color_alter/{language}/k0.png",
        "instruction": f"color_alter 0 {language}",
        "sementics_score": semantics,
        "quality_score": quality,
        "intersection_exist": "True",
        "instruction_language": language,
        "mine": "kept",
    }
    for language, semantics, quality in (("en", 9, 4), ("cn", 0, 7))
]
REPLY = """Brief reasoning: the shell is smooth.
Prompt Compliance: 3
Visual Naturalness: 5
Physical & Detail Integrity: 2"""
KRIS = {
    "1": {
        "instruction": "About physics",
        "explain": "It falls.",
        "consistency_score": 4,
        "consistency_reasoning": "nearly the same",
        "instruction_score": 5,
        "instruction_reasoning": "done",
        "knowledge_score": 2,
        "knowledge_reasoning": "it floats",
        "quality_score": 3,
        "quality_reasoning": "blurred",
    }
}
RISE = [
    {
        "index": "temporal_reasoning_1",
        "category": "temporal_reasoning",
        "instruction": "A year later",
        "Reasoning": 5,
        "ApprConsistency": 4,
        "VisualPlausibility": 3,
        "match_log": "succeed",
        "judge_reas": "Final Score: 5",
        "score": 4.3,
        "complete": 0,
    },
    {
        "index": "spatial_reasoning_2",
        "category": "spatial_reasoning",
        "instruction": "Swap them",
        "Reasoning": "",
        "ApprConsistency": "",
        "VisualPlausibility": "",
        "match_log": "failed",
        "judge_reas": "no",
        "score": "",
        "complete": "",
    },
]
# Where the script writes it, and what.
FILES = {
    "gedit": ("csv_results/flux/gpt4o/flux_color_alter_all_vie_score.csv", table(GEDIT)),
    "imgedit": (
        "edited_images/flux/result.json",
        json.dumps({"1082": REPLY, "673": {"error": "timed out"}}),
    ),
    "kris": ("results/flux/physics/metrics.json", json.dumps(KRIS)),
    "rise": ("outputs/flux/flux_judge.csv", table(RISE)),
}


def write(root, name):
    file, content = FILES[name]
    put(root / file, content)
    return file


def workbook(rows):
    """As a spreadsheet: texts shared, numbers as they are, what is empty left out."""
    texts: list[str] = []

    def cell(place, line, value):
        where = f"{chr(65 + place)}{line}"
        if value == "":
            return f'<c r="{where}"/>'
        if isinstance(value, str):
            texts.append(value)
            return f'<c r="{where}" t="s"><v>{len(texts) - 1}</v></c>'
        return f'<c r="{where}"><v>{value}</v></c>'

    lines = [list(rows[0]), *(list(row.values()) for row in rows)]
    body = "".join(
        f'<row r="{n}">{"".join(cell(place, n, value) for place, value in enumerate(line))}</row>'
        for n, line in enumerate(lines, 1)
    )
    space = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    shared = "".join(f"<si><t>{escape(text)}</t></si>" for text in texts)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        sheet = f"<worksheet {space}><sheetData>{body}</sheetData></worksheet>"
        file.writestr("xl/worksheets/sheet1.xml", sheet)
        file.writestr("xl/sharedStrings.xml", f"<sst {space}>{shared}</sst>")
    return out.getvalue()

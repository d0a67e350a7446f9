"""What the columns of an unknown table are: guessed from their names and from what stands in them.

Plain values: the same guess for the page's menus, the command and the import.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from jurybox_formats.sources.records import PLACES

# What a column may be, in the words of the menu.
ROLES = {
    "picture": "picture (its file)",
    "source": "source picture (before the edit)",
    "reference": "reference picture (of the prompt)",
    "mask": "mask picture (what may change)",
    "prompt": "prompt",
    "generator": "generator",
    "label:yes/no": "label: yes or no",
    "label:1-5": "label: 1 to 5",
    "label:0-1": "label: 0 to 1",
    "label:number": "label: number",
    "label:choice": "label: one of these words",
    "label:text": "label: text",
    "rater": "rater (who labelled)",
    "score": "score of a judge",
    "judge": "judge (who scored)",
    "question": "question (its name)",
    "value": "value (the answer)",
    "image_id": "image id",
    "prompt_id": "prompt id",
    "sample": "sample (number)",
    "tags": "tags",
    "family": "family of the prompt (its template)",
    "release_date": "release date of the generator",
    "metadata": "metadata of the prompt",
    "ignore": "ignore",
}
LABELS = tuple(role for role in ROLES if role.startswith("label:"))
KINDS = tuple(role.partition(":")[2] for role in LABELS)
# Of these a table may have several.
MANY = (*LABELS, "score", "metadata", "ignore")

# The first name that a table has wins.
NAMES = {
    "picture": "file file_name filename path file_path filepath image_path image_file img_path picture "
    "image img image_name photo",
    "source": "source_image source source_img source_file source_path source_picture input_image "
    "input_img input input_file original_image original before before_image init_image",
    "reference": "reference_image reference reference_file ref_image subject_image subject",
    "mask": "mask mask_image mask_img mask_file mask_path",
    "image_id": "image_id imageid img_id image_key id uid",
    "prompt_id": "prompt_id promptid text_id caption_id item_id prompt_index prompt_number",
    "prompt": "prompt caption text prompt_text description sentence instruction",
    "generator": "generator model system model_name generator_name t2i_model source_model method",
    "release_date": "release_date released release model_date model_release released_at",
    "tags": "tags tag category categories skill skills edit_type edit_kind task_type",
    "family": "prompt_family prompt_template template_id family",
    "sample": "sample seed sample_index sample_number sample_id",
    "rater": "rater annotator annotator_id rater_id worker worker_id workerid user user_id labeler "
    "labeller participant person",
    "question": "question question_name criterion dimension aspect",
    "value": "value answer response",
    "judge": "judge metric scorer judge_name metric_name",
}
LABEL_NAMES = re.compile(
    r"rating|label|aligned|alignment|quality|likert|human|correct|overall|aesthetic|faithful|"
    r"likes?$|vote|grade|stars"
)
SCORE_NAMES = re.compile(
    r"clip|vqa_?score|tifa|dsg|image_?reward|pick_?score|hps|blip|judge|metric|auto|geneval"
)
# What holds an answer, or a judge's score, where no column has a better name.
ANSWERS = {"value", "answer", "response", "score"}
KNOWN = frozenset(" ".join(NAMES.values()).split()) - ANSWERS
# Numbers that a table has of pictures and rows, and no judge gave.
NO_JUDGE = {
    *("correct", "atom", "seconds", "width", "height", "size", "steps", "num_steps", "cfg"),
    *("cfg_scale", "guidance", "guidance_scale", "index", "row", "row_number", "number", "no"),
    "unnamed_0",
}
YES_NO = {
    "yes": 1.0,
    "no": 0.0,
    "y": 1.0,
    "n": 0.0,
    "true": 1.0,
    "false": 0.0,
    "1": 1.0,
    "0": 0.0,
    "1.0": 1.0,
    "0.0": 0.0,
}
# More different values than this are no list of choices and no list of generators.
FEW = 12
REMEMBERED = 60


@dataclass(slots=True)
class SeenColumn:
    """What was seen of a column: how many cells, and some of their values."""

    name: str
    cells: int = 0
    files: int = 0
    words: int = 0
    numbers: int = 0
    dates: int = 0
    low: float = 0.0
    high: float = 0.0
    whole: bool = True
    values: dict[str, int] = field(default_factory=dict)

    def see(self, value: Any, is_file: Callable[[str], bool], times: int = 1) -> None:
        text = str(value).strip()
        if not text:
            return
        self.cells += times
        self.files += times * is_file(text)
        self.words += times * len(text.split())
        number = as_number(text)
        if number is not None:
            self.low = number if not self.numbers else min(self.low, number)
            self.high = number if not self.numbers else max(self.high, number)
            self.numbers += times
            self.whole &= number == int(number)
        self.dates += times * is_day(text)
        if text in self.values or len(self.values) < REMEMBERED:
            self.values[text] = self.values.get(text, 0) + times

    @property
    def is_numeric(self) -> bool:
        return self.cells > 0 and self.numbers == self.cells

    @property
    def is_sentences(self) -> bool:
        return self.cells > 0 and self.words >= 2.5 * self.cells

    @property
    def is_few(self) -> bool:
        """Values that come again and again."""
        return self.cells > 0 and len(self.values) <= FEW and 2 * len(self.values) <= self.cells


def kind_of(column: SeenColumn) -> str:
    """What a label column contains: one of KINDS."""
    if column.cells and {value.lower() for value in column.values} <= YES_NO.keys():
        return "yes/no"
    if column.is_numeric:
        if column.whole and column.low >= 1 and column.high <= 5:
            return "1-5"
        return "0-1" if column.low >= 0 and column.high <= 1 else "number"
    return "choice" if column.is_few and not column.is_sentences else "text"


def guess(columns: Sequence[SeenColumn], holds: str = "") -> dict[str, str]:
    """A role for every column. `holds`: labels, scores or images, where a person named what the table is of."""
    roles: dict[str, str] = {}
    plain = {c.name: _plain(c.name) for c in columns}
    # What really names pictures is the picture, whatever it is called. Of several, not the source.
    shown = [c for c in columns if c.files and 2 * c.files >= c.cells]
    results = [c for c in shown if not any(plain[c.name] in NAMES[r].split() for r in PLACES)]
    if shown:
        roles[max(results or shown, key=lambda c: c.files).name] = "picture"
    for role, names in NAMES.items():
        if role in roles.values():
            continue
        for name in names.split():
            fits = [
                c
                for c in columns
                if plain[c.name] == name and c.name not in roles and _can(role, c)
            ]
            if fits:
                roles[fits[0].name] = role
                break
    _without_halves(roles)
    given = set(roles.values())
    if "judge" in given and holds != "labels":
        named = [c for c in columns if plain[c.name] in ("score", "value") and c.is_numeric]
        roles.update({c.name: "score" for c in named[:1] if c.name not in roles})
    given = set(roles.values())
    free = [column for column in columns if column.name not in roles]
    roles.update({c.name: "score" for c in free if _is_score(c, plain[c.name], given, holds)})
    for column in columns:
        if column.name not in roles:
            roles[column.name] = _by_values(column, plain[column.name], roles, holds)
    return {column.name: roles[column.name] for column in columns}


def _can(role: str, column: SeenColumn) -> bool:
    if role == "release_date":
        return column.dates == column.cells
    if role in PLACES:
        return 2 * column.files >= column.cells > 0
    if role == "sample":
        return column.is_numeric and column.whole and column.low >= 0
    if role in ("prompt", "generator", "judge"):
        return not column.is_numeric
    return True


def _without_halves(roles: dict[str, str]) -> None:
    """A question needs a value, a judge a score: one without the other is something else. A family beside a
    generator is the generator's, unless its name says otherwise."""
    given = set(roles.values())
    for name, role in list(roles.items()):
        half = {"question": "value", "value": "question"}.get(role, role) not in given
        if half or (role == "family" and "generator" in given and _plain(name) == "family"):
            del roles[name]


def _is_score(column: SeenColumn, plain: str, given: set[str], holds: str) -> bool:
    """Numbers under a name that nobody knows are a judge's, unless they are a rater's answers."""
    if not column.is_numeric or holds not in ("", "scores") or {"judge", "score"} <= given:
        return False
    if SCORE_NAMES.search(plain):
        return True
    if "question" in given or plain in NO_JUDGE or plain in KNOWN:
        return False
    if holds == "scores" or ("judge" in given and "rater" not in given):
        return True
    if LABEL_NAMES.search(plain) or not given & {"picture", "image_id"}:
        return False
    return "rater" not in given or not (plain in ANSWERS or _is_opinion(column))


def _is_opinion(column: SeenColumn) -> bool:
    several = column.is_numeric and len(column.values) > 1
    return several and kind_of(column) in ("yes/no", "1-5")


def _is_label(column: SeenColumn, plain: str, holds: str) -> bool:
    if holds not in ("", "labels"):
        return False
    if LABEL_NAMES.search(plain):
        return True
    if plain in ANSWERS:
        return column.is_numeric or holds == "labels"
    return _is_opinion(column) and plain not in NO_JUDGE | KNOWN and not SCORE_NAMES.search(plain)


def _by_values(column: SeenColumn, plain: str, roles: Mapping[str, str], holds: str) -> str:
    given = set(roles.values())
    if not column.cells or "question" in given:
        return "ignore"
    if _is_label(column, plain, holds):
        return f"label:{kind_of(column)}"
    if "prompt" not in given and column.is_sentences and "picture" in given:
        return "prompt"
    if (
        "generator" not in given
        and column.is_few
        and not column.is_numeric
        and not column.is_sentences
        and "picture" in given
    ):
        return "generator"
    return "ignore"


def check_roles(given: Mapping[str, str], columns: Sequence[str], table: str) -> dict[str, str]:
    """What a person stated of the columns of this table: `column` or `table:column` -> role."""
    roles = {}
    for name in columns:
        role = given.get(f"{table}:{name}", given.get(name, ""))
        if role:
            roles[name] = role
    return roles


def as_number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if abs(number) < 1e300 else None


def is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def twice(roles: dict[str, str]) -> tuple[str, list[str]] | None:
    """A role that two columns have, though only one may."""
    by_role = defaultdict(list)
    for name, role in roles.items():
        if role not in MANY:
            by_role[role].append(name)
    return next(((role, names) for role, names in by_role.items() if len(names) > 1), None)


def _plain(name: str) -> str:
    spaced = re.sub(r"([a-z])([A-Z])", r"\1_\2", name.strip())
    return re.sub(r"[^a-z0-9]+", "_", spaced.lower()).strip("_")

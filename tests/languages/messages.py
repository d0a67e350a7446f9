"""Every sentence that is to be translated, read from templates, Python and scripts without xgettext.

`python -m tests.languages` brings the translations in `locale/` up to date with them, and writes each a
second time as the pages load it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import polib
from django.conf import settings
from django.template import Engine, engines
from django.template.base import Template, Variable
from django.templatetags.i18n import BlockTranslateNode, TranslateNode

from annotations.consensus import RULES
from annotations.forms.builder import RATING, READY
from annotations.imports.new_prompts import TITLES as MADE_BY
from annotations.pairs.questions import SOURCE
from audit.doors.registry import all_exhibits, parameters_of
from audit.languages import words_in_script
from audit.next_labels.plan import TARGETS
from audit.questions.card.rows import AGREEMENT, COST, FAMILY, POSITION
from audit.statistic_names import CONSENSUS, STATISTICS
from audit.training.candidates import RULES as TRAINING_RULES
from audit.view import SLICES
from audit.words.drift_state import (
    AT_LEAST_WEAKLY,
    DRIFTS,
    FOLLOWING,
    HOLDS,
    PAIRS,
)
from audit.words.glossary import all_terms
from judges.cards.changes import CHANGES, LADDER, LADDERS
from judges.exports.tables import TABLES
from judges.intake.bring_in import SCALES
from judges.pages.bring import GRIDS
from jurybox_formats.forms import translations
from jurybox_formats.forms.papers import EARLIER
from jurybox_formats.forms.papers import FORMS as FORMS_OF_PAPERS
from jurybox_formats.forms.translations import source_texts
from jurybox_formats.registry import FORMATS
from jurybox_formats.sources.columns import KINDS, ROLES
from jurybox_formats.sources.picture_folder import SKIPPED
from jurybox_formats.sources.picture_names import FOLDERS, NAMES
from jurybox_formats.tools.result_files import READERS
from jurybox_stats.instrument.verdict import STOPPED

ROOT = Path(__file__).resolve().parent.parent.parent
JUDGING = "packages/judging/jurybox_judging"
CALLS = {"gettext", "gettext_lazy", "gettext_noop", "ngettext", "ngettext_lazy", "N_"}
SCRIPTS = (
    *("base.js", "compare.js", "label-edit.js", "label-outbox.js", "label-page.js"),
    *("practice-page.js", "bring.js", "data.js", "copy.js", "chart.js"),
)
# What these say is stored or refused in English; a page shows it in its language (`annotations.language.stored_words`).
WORDS = (
    *("report", "drift_state", "page_sentences", "contests", "why", "anchors"),
    "notes",
)
STORED = (
    *(
        "packages/formats/jurybox_formats/sources/*.py",
        "annotations/imports/*.py",
        "annotations/pictures/*.py",
    ),
    *(
        "packages/formats/jurybox_formats/guess_format.py",
        "packages/formats/jurybox_formats/label_questions.py",
    ),
    *("annotations/jobs.py", "annotations/database/leases.py", "annotations/access.py"),
    "annotations/stored_answers/waiting.py",
    *("audit/words/report.py", "audit/charts/every_chart.py"),
    *("annotations/studies/*.py", "judges/pages/bring.py", "judges/intake/*.py"),
    *("annotations/pages/*.py", "annotations/forms/*.py", "annotations/rates.py"),
    *("packages/formats/jurybox_formats/forms/*.py", "annotations/file_names.py"),
    *(
        "packages/formats/jurybox_formats/sources/sound_json.py",
        *("annotations/bounded_numbers.py", "annotations/storage/room.py"),
    ),
    *("audit/pages/data.py", "audit/pages/export.py", "audit/pages/reports.py"),
    *("audit/pages/one_question/plan.py", "audit/pages/one_question/training.py"),
    *("audit/pages/one_question/repairs.py", "audit/pages/one_question/self_checks.py"),
    *("audit/pages/one_question/published_sets.py", "audit/accounts/reset_links.py"),
    *(f"audit/training/{name}.py" for name in ("choose", "freeze")),
    "audit/repairs/findings.py",
    *("audit/accounts/first_account.py", "audit/accounts/second_factor.py"),
    *("audit/accounts/single_sign_on.py", "audit/webhooks/set_up.py", "audit/webhooks/address.py"),
    *("audit/account_pages/*.py", "audit/next_labels/to_people.py", "audit/next_labels/draw.py"),
    *(f"audit/words/{name}.py" for name in WORDS),
    *("audit/charts/*.py", "audit/questions/*/*.py", "audit/people/agreement.py"),
    *(
        "packages/stats/jurybox_stats/*.py",
        "packages/stats/jurybox_stats/*/*.py",
        "audit/reports/*.py",
        "audit/why/*.py",
    ),
    *(
        "judges/cards/plan.py",
        "audit/contests/*.py",
        "audit/anchors/*.py",
        "audit/set_scores/official.py",
    ),
    *("audit/statistic_names.py", "audit/exhibits/*.py", "audit/pages/judge_numbers.py"),
    *("audit/pages/slices.py", "audit/pages/side_by_side.py", "audit/pages/heat_map.py"),
    *("audit/pages/calibration.py", "audit/pages/frame.py"),
    "audit/pages/one_question/anchors.py",
    "audit/pages/one_question/papers.py",
    *(f"judges/{name}.py" for name in ("own_recipes", "servers", "host")),
    *(f"{JUDGING}/{name}.py" for name in ("registry", "options", "catalogue", "host")),
    *(f"{JUDGING}/{name}.py" for name in ("scorer", "self_test", "ask_engine", "stored_form")),
    *(f"{JUDGING}/recipes/{name}.py" for name in ("read", "check")),
    *(f"judges/{folder}/*.py" for folder in ("pages", "model_servers", "parts", "runs")),
    *(f"judges/{folder}/*.py" for folder in ("cards", "self_checks", "looks")),
    *("annotations/pairs/draws.py", "annotations/pairs/files.py"),
    *("audit/pages/one_question/pairs.py", "judges/preferences/imported.py"),
)
# What a model is asked stands beside it, and in the help of options: only what functions say is for people.
IN_FUNCTIONS = tuple(
    f"{JUDGING}/{folder}/{depth}.py" for folder in ("engines", "methods") for depth in ("*", "*/*")
)
# For the server's own command line, or in the way of a reader that no page has.
NOT_SHOWN = (
    *(
        *("hub_dataset.py", "two_tables.py", "personal_data.py", "match_results.py", "so_far.py"),
        "outcome.py",
    ),
    *(
        *("scales.py", "rates.py", "win_rate.py", "useful_pairs.py", "planning.py"),
        *("imagenhub.py", "on_paper.py"),
    ),
    # Of judges: what commands, libraries and the rows of a table say.
    *("gors.py", "wise.py", "word_scores.py", "detector_agreement.py", "shared_prefix.py"),
    *("imported_judge.py", "machine_memory.py", "blip_itm.py", "local_weights.py"),
)
SENTENCE = re.compile(r"[A-Z“{%0-9].*[.]", re.DOTALL)
# What ends a sentence that stands elsewhere, or stands in its middle (…), by what says it.
ENDINGS = {
    **{"Damaged": "", "NotTaken": "%(name)s ", "JobKind": "", "left_out": "", "lack": ""},
    **{"Undefined": "", "not_measured": "", "judge_job": "", "Unscored": "", "JudgeRefused": ""},
    **{"EngineRefused": "", "JudgeMissing": "", "RecipeRefused": ""},
    # In a recipe.
    "refuse": "In %(file)s, “%(before)s%(name)s” ….",
}
# English on every page: the help of a judge's option and of a column of the database; what a model is asked.
HELP = {"help", "help_text"}
OPTIONS = {
    *("flag", "whole", "real", "free_text", "choice", "texts", "weights_of", "fields_of_request"),
}
ASKED = re.compile(r"Answer in one word|^You are my assistant|^According to the image")
# Why there is no number, where it is not an `Undefined`.
REASONS = {"undefined", "no_interval", "reason"}


class Message(NamedTuple):
    text: str
    plural: str = ""


def in_templates() -> Iterator[tuple[str, Message]]:
    # Without the tags that are gone once a template is compiled.
    libraries = engines["django"].engine.libraries
    as_written = Engine(libraries=libraries, builtins=["django.templatetags.i18n"])
    for path in sorted((ROOT / "templates").rglob("*.html")):
        place = path.relative_to(ROOT).as_posix()
        shown = Template(path.read_text(encoding="utf-8"), engine=as_written)
        for node in translating_nodes(shown):
            yield place, node


def translating_nodes(shown: Template) -> Iterator[Message]:
    for node in shown.nodelist.get_nodes_by_type(TranslateNode):
        variable = node.filter_expression.var
        # Django looks for it with its per cent signs doubled.
        if isinstance(variable, str):
            yield Message(variable.replace("%", "%%"))
        elif isinstance(variable, Variable) and variable.literal is not None:
            yield Message(str(variable.literal).replace("%", "%%"))
    for block in shown.nodelist.get_nodes_by_type(BlockTranslateNode):
        one, _ = block.render_token_list(block.singular)
        many, _ = block.render_token_list(block.plural) if block.plural else ("", [])
        yield Message(one.strip() if block.trimmed else one, many)


def in_python() -> Iterator[tuple[str, Message]]:
    for app in ("annotations", "judges", "audit", "packages"):
        for path in sorted((ROOT / app).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            if "gettext" not in text and "N_(" not in text:
                continue
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") in CALLS:
                    texts = [text for text in map(as_message, node.args[:2]) if text]
                    if texts:
                        yield path.relative_to(ROOT).as_posix(), Message(*map(str, texts))


def files_of(patterns: Iterable[str]) -> list[Path]:
    """A file that was moved would take its translations with it."""
    found = {pattern: [*ROOT.glob(pattern)] for pattern in patterns}
    assert all(found.values()), [pattern for pattern, files in found.items() if not files]
    return sorted({path for files in found.values() for path in files})


def in_stored_sentences() -> Iterator[tuple[str, Message]]:
    for path in files_of(STORED):
        if path.name in NOT_SHOWN:
            continue
        place = path.relative_to(ROOT).as_posix()
        for text in sentences_of(ast.parse(path.read_text(encoding="utf-8"))):
            if not ASKED.search(text):
                yield place, Message(text)
    for path in files_of(IN_FUNCTIONS):
        place = path.relative_to(ROOT).as_posix()
        if path.name in NOT_SHOWN:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for said in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
            for text in sentences_of(said):
                if not ASKED.search(text):
                    yield place, Message(text)


def sentences_of(tree: ast.AST) -> Iterator[str]:
    """Those of the code itself, values as places: f"“{name}” is empty." is “%(name)s” is empty."""
    skipped, before = set(), {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr | ast.JoinedStr):
            skipped |= {id(inside) for inside in ast.walk(node) if inside is not node}
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call | ast.Yield):
                skipped -= {id(inside) for inside in ast.walk(node)}
        if isinstance(node, ast.keyword) and node.arg in HELP:
            skipped |= {id(inside) for inside in ast.walk(node)}
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", "")
            if name in CALLS | OPTIONS:
                skipped |= {id(inside) for inside in ast.walk(node)}
            name = name or getattr(node.func, "attr", "")
            if name in ENDINGS:
                texts = [text for given in node.args for text in texts_in(given)]
                before |= {id(text): ENDINGS[name] for text in texts}
        before |= {id(text): "" for text in reasons_in(node)}
    for node in ast.walk(tree):
        if id(node) in skipped and id(node) not in before:
            continue
        text = as_message(node).strip()
        words = re.findall(r"[A-Za-z]{2,}", re.sub(r"%\(\w+\)s", "", text))
        if id(node) in before and len(words) > 1:
            begun = before[id(node)]
            yield begun.replace("…", text) if "…" in begun else begun + text
        elif words and " " in text and SENTENCE.fullmatch(text):
            yield text


def reasons_in(node: ast.AST) -> Iterator[ast.AST]:
    """Of a dictionary, and of a constant that says more than a name does."""
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and key.value in REASONS:
                yield from texts_in(value)
    if (
        isinstance(node, ast.Assign)
        and node.col_offset == 0
        and isinstance(node.value, ast.Constant)
        and " " in str(node.value.value)
    ):
        yield node.value


def texts_in(node: ast.AST) -> Iterator[ast.AST]:
    """Without the pieces of a text that has places."""
    if isinstance(node, ast.JoinedStr | ast.Constant):
        yield node
        return
    for inside in ast.iter_child_nodes(node):
        yield from texts_in(inside)


def as_message(node: ast.AST) -> str:
    if isinstance(node, ast.Constant):
        # `str.format` fills these places.
        return node.value.replace("{}", "%(value)s") if isinstance(node.value, str) else ""
    if not isinstance(node, ast.JoinedStr):
        return ""
    if any(isinstance(inside, ast.IfExp) for inside in ast.walk(node)):
        return ""  # a place that no translation can fill: it stays English, and is marked so
    text, used = "", set()
    for part in node.values:
        if isinstance(part, ast.Constant):
            text += str(part.value).replace("%", "%%")
            continue
        name = place_name(part)
        while name in used:
            name += "_"
        used.add(name)
        text += f"%({name})s"
    return text


def place_name(part: ast.AST) -> str:
    value = part.value if isinstance(part, ast.FormattedValue) else part
    if isinstance(value, ast.Attribute):
        return value.attr
    names = [one.id for one in ast.walk(value) if isinstance(one, ast.Name)]
    return next((name.lower() for name in names if name not in ("len", "round")), "value")


def in_events() -> Iterator[tuple[str, Message]]:
    """What the history of a study says that somebody did."""
    for app in ("annotations", "judges", "audit"):
        for path in sorted((ROOT / app).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            if "event_log.note" in text:
                place = path.relative_to(ROOT).as_posix()
                yield from ((place, Message(words)) for words in event_words(ast.parse(text)))


def event_words(tree: ast.AST) -> Iterator[str]:
    """Written in the call itself, or just before it as `words`."""
    for node in ast.walk(tree):
        said: list[ast.AST] = []
        if isinstance(node, ast.Call):
            # Before them: the study or the kind of change.
            first = {"note": 2, "note_account": 1}.get(getattr(node.func, "attr", ""), 99)
            said = list(node.args[first:])
        elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "words":
            said = [node.value]
        for text in (inside for given in said for inside in texts_in(given)):
            words = as_message(text)
            if len(re.findall(r"[A-Za-z]{2,}", re.sub(r"%\(\w+\)s", "", words))) > 1:
                yield words


def in_menus() -> Iterator[tuple[str, Message]]:
    """What a page chooses from, named where it is read."""
    for place, titles in (
        (
            "packages/formats/jurybox_formats/registry.py",
            [known.title for known in FORMATS.values()],
        ),
        (
            "packages/formats/jurybox_formats/tools/result_files.py",
            [title for title, _ in READERS.values()],
        ),
        ("packages/formats/jurybox_formats/sources/columns.py", [*ROLES.values(), *KINDS]),
        (
            "packages/formats/jurybox_formats/sources/picture_names.py",
            [*FOLDERS.values(), *NAMES.values()],
        ),
        ("packages/formats/jurybox_formats/sources/picture_folder.py", [SKIPPED]),
        ("judges/intake/bring_in.py", [*SCALES.values()]),
        ("judges/pages/bring.py", [*GRIDS.values()]),
        ("audit/statistic_names.py", [*CONSENSUS.values()]),
        ("annotations/consensus.py", [*RULES]),
        ("annotations/imports/new_prompts.py", [*MADE_BY.values()]),
        ("audit/training/candidates.py", [*TRAINING_RULES.values()]),
        ("audit/next_labels/plan.py", [*TARGETS.values()]),
        (
            "judges/exports/tables.py",
            [words for one in TABLES.values() for words in (one.title, one.what)],
        ),
        ("audit/statistic_names.py", [*CONSENSUS.values(), *names_of_statistics()]),
        ("audit/words/glossary.py", [head for one in all_terms() for head in one.heads]),
        ("audit/view.py", [*SLICES.values()]),
        ("audit/words/drift_state.py", [*names_of_facts()]),
        ("audit/questions", [*names_of_questions()]),
        ("judges/cards/changes.py", [*names_of_changes()]),
        (f"{JUDGING}/options.py", [*requirements()]),
    ):
        yield from ((place, Message(title)) for title in titles)


def names_of_statistics() -> Iterator[str]:
    for one in STATISTICS.values():
        yield from (one.name, one.heading)


def names_of_facts() -> Iterator[str]:
    """Each by itself and with its number."""
    for words in (*FOLLOWING.values(), AT_LEAST_WEAKLY):
        yield from (words, f"%(judge)s {words}", f"%(judge)s {words} (%(order)s)")
    yield f"{PAIRS} %(value)s"
    yield f"{STOPPED}%(reason)s"
    yield (
        "It is off by %(now)s points on the newest, %(before)s before: %(people)s because people’s answers moved and "
        "its gain is %(gain)s, %(judge)s because it scores newer images differently."
    )
    yield from (*FOLLOWING, DRIFTS, HOLDS)


def names_of_questions() -> Iterator[str]:
    """What stands in tables and above charts, whatever the answer is."""
    for one in all_exhibits().values():
        yield one.title
        for field in parameters_of(one):
            yield from (
                field.metadata[key] for key in ("title", "fold", "hint") if key in field.metadata
            )


def names_of_changes() -> Iterator[str]:
    for one in CHANGES.values():
        if not one.step:
            yield from (one.words, one.part, one.part.capitalize())
    for part in (LADDER, AGREEMENT, POSITION, FAMILY, COST):
        yield from (part, part.capitalize())
    yield from (*LADDERS.values(), "picture removed")


def requirements() -> Iterator[str]:
    """What an option's value must be: `Option.requirement`."""
    yield from ("true or false", "one of %(choices)s", "a whole number", "a number")
    for number in ("a whole number", "a number"):
        yield f"{number} from %(minimum)s to %(maximum)s"
    for text in ("a text", "a list of 1 to %(most)s texts", "an object of fields"):
        yield f"{text} of at most %(longest)s characters"
        yield f"{text} of at most %(longest)s characters, %(form)s"


def in_scripts() -> Iterator[tuple[str, Message]]:
    for name in SCRIPTS:
        for one, many in words_in_script(name):
            yield f"static/{name}", Message(one, many)


def all_messages() -> dict[Message, list[str]]:
    found: dict[Message, list[str]] = {}
    for place, message in (
        *(*in_templates(), *in_python(), *in_scripts()),
        *(*in_stored_sentences(), *in_events(), *in_menus()),
    ):
        places = found.setdefault(message, [])
        if place not in places:
            places.append(place)
    return found


def texts_of_forms() -> dict[Message, list[str]]:
    """What the papers' forms, the questions about pairs and the form builder's ready questions say."""
    forms = (*FORMS_OF_PAPERS.values(), *EARLIER.values(), SOURCE)
    found = {text: form.slug for form in reversed(forms) for text in source_texts(form)}
    ready = dict.fromkeys((*RATING, *(parts["text"] for _, parts in READY.values())), "builder")
    return {Message(text): [place] for text, place in {**ready, **found}.items() if text}


def file_of_forms(language: str) -> Path:
    return Path(translations.__file__).with_name("words") / f"{language}.po"


def file_of(language: str) -> Path:
    name = "zh_Hans" if language == "zh-hans" else language
    return ROOT / "locale" / name / "LC_MESSAGES" / "django.po"


def languages() -> list[str]:
    return [code for code, _ in settings.LANGUAGES if code != "en"]


@cache
def waiting_sentences() -> list[re.Pattern[str]]:
    """New English ones, which a release translates: pages show them as they are."""
    translated = [
        {(one.msgid, one.msgid_plural) for one in polib.pofile(str(path)).translated_entries()}
        for path in map(file_of, languages())
    ]
    new = set(all_messages()) - set.intersection(*translated)
    plain = (re.split(r"%\(\w+\)s", text.replace("%%", "%")) for one in new for text in one if text)
    return [re.compile(".+".join(map(re.escape, parts)), re.DOTALL) for parts in plain]

"""The builder's fields hold the whole form: to and fro loses nothing."""

import json

import pytest
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from annotations.errors import FormRefused
from annotations.forms import builder
from jurybox_formats.forms.definition import (
    KINDS,
    YES_NO,
    Choice,
    Condition,
    Example,
    Form,
    Question,
    Wording,
)
from jurybox_formats.forms.papers import EARLIER, FORMS
from jurybox_formats.forms.text_format import as_text, parse
from jurybox_formats.forms.validate_definition import MEANINGS, read_form

WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp")),
    min_size=1,
    max_size=12,
).filter(lambda text: text.strip() == text and text)
LINES = st.lists(WORDS, min_size=1, max_size=3).map("\n".join)
NUMBERS = st.integers(-50, 50) | st.floats(-50, 50, allow_nan=False)
KEYS = st.sampled_from([*"abcdefgh123", ""])


@st.composite
def choices(draw, kind):
    if draw(st.booleans()) and kind == "choice":
        return YES_NO
    values = NUMBERS if draw(st.booleans()) else WORDS.filter(lambda text: "|" not in text)
    count = draw(st.integers(2, 5))
    given_values = draw(st.lists(values, min_size=count, max_size=count, unique=True))
    texts = draw(st.lists(WORDS, min_size=count, max_size=count, unique=True))
    keys = draw(st.lists(KEYS, min_size=count, max_size=count))
    keys = [key if keys.index(key) == place else "" for place, key in enumerate(keys)]
    return tuple(Choice(*three) for three in zip(given_values, texts, keys, strict=True))


@st.composite
def questions(draw, name, earlier):
    kind = draw(st.sampled_from(KINDS))
    offered = draw(choices(kind)) if kind in ("choice", "choices") else ()
    whens = []
    for other in draw(st.lists(st.sampled_from(earlier), max_size=2)) if earlier else []:
        if other.choices:
            values = [choice.value for choice in other.choices]
            picked = draw(st.lists(st.sampled_from(values), min_size=1, unique=True))
            whens.append(Condition(other.name, one_of=tuple(picked)))
        elif other.kind == "number":
            whens.append(Condition(other.name, above=draw(NUMBERS)))
    low, high = sorted((draw(NUMBERS), draw(NUMBERS)))
    number = kind == "number"
    return Question(
        name,
        draw(LINES),
        offered,
        kind=kind,
        hint=draw(st.just("") | LINES),
        per=draw(st.sampled_from(["", "atom"])) if kind != "mark" else "",
        objects=draw(st.sampled_from([(), (0,), (0, 1)])),
        when=tuple(whens),
        wordings=(Wording(("colour",), draw(WORDS), offered),)
        if offered and draw(st.booleans())
        else (),
        optional=draw(st.booleans()),
        least=low if number and draw(st.booleans()) else None,
        most=high if number and draw(st.booleans()) else None,
        whole=number and draw(st.booleans()),
        with_prompt=draw(st.booleans()),
        cant_tell=kind == "choice" and draw(st.booleans()),
    )


@st.composite
def forms(draw):
    made: list[Question] = []
    for number in range(draw(st.integers(1, 4))):
        made.append(draw(questions(f"question-{number}", tuple(made))))
    examples = st.lists(
        st.builds(
            Example,
            LINES,
            st.lists(LINES, max_size=3).map(tuple),
            st.just("") | LINES,
            st.just("") | WORDS,
        ),
        max_size=2,
    ).map(tuple)
    return Form(
        "own-form",
        draw(WORDS),
        draw(st.just("") | WORDS),
        tuple(made),
        introduction=draw(st.just("") | LINES),
        notes=tuple(draw(st.lists(LINES, max_size=2))),
        examples=draw(examples),
        edge_cases=draw(examples),
    )


def posted(draft, opened=None) -> QueryDict:
    """The fields as the page has them."""
    post = QueryDict(mutable=True)
    for part in builder.HEAD:
        post[part] = draft[part]
    post.setlist("note", draft["notes"])
    post["open"] = "" if opened is None else str(opened)
    for number, question in enumerate(draft["questions"]):
        post.appendlist("question", "" if number == opened else builder.closed(question))
    if opened is not None:
        question = draft["questions"][opened]
        for part in (*builder.PLAIN, "kind"):
            post[part] = question[part]
        for tick in builder.TICKS:
            if question[tick]:
                post[tick] = "yes"
        for choice in question["choices"]:
            for part, value in choice.items():
                post.appendlist(f"choice-{part}", value)
        for tick in builder.condition_ticks(draft, opened):
            if tick["checked"]:
                post.appendlist("when", tick["value"])
    for example in draft["examples"]:
        for part, value in example.items():
            post.appendlist(f"example-{part}", value)
    return post


def through(form, opened=None):
    draft, still = builder.read_fields(posted(builder.draft_of(form.definition()), opened))
    assert still == opened
    return read_form(builder.definition_of(draft))


@given(forms(), st.integers(0, 3))
def test_a_definition_comes_back_from_the_fields_as_it_was(form, number):
    form = read_form(form.definition())
    opened = number if number < len(form.questions) else None
    assert through(form, opened).digest == form.digest


@given(forms())
def test_a_text_comes_back_from_the_fields_as_it_was(form):
    text = as_text(read_form(form.definition()))
    assert as_text(through(read_form(parse(text)))) == text


@pytest.mark.parametrize("form", [*FORMS.values(), *EARLIER.values()], ids=lambda f: f.digest[:6])
def test_papers_forms_go_through_the_fields_question_by_question(form):
    for opened in (None, *range(len(form.questions))):
        assert through(form, opened).digest == form.digest
    assert as_text(through(form)) == as_text(form)


def test_what_stands_ready_is_a_form_as_it_is_added():
    draft = builder.draft_of({"title": "Clicked"})
    for name in builder.READY:
        opened = builder.step(draft, None, f"add {name}")
        for choice, text in zip(
            draft["questions"][opened]["choices"], ("One", "Two"), strict=False
        ):
            choice["text"] = choice["text"] or text
        draft["questions"][opened]["text"] = draft["questions"][opened]["text"] or "Which?"
    form = read_form(builder.definition_of(draft))
    assert [question.name for question in form.questions] == list(builder.READY)
    assert {q.name for q in form.questions} >= {"aligned", "likert", "atom"} <= set(MEANINGS)


def test_buttons_move_copy_and_remove_questions():
    draft = builder.draft_of({"title": "A"})
    for name in ("aligned", "where", "comment"):
        builder.step(draft, None, f"add {name}")

    def names():
        return [question["name"] for question in draft["questions"]]

    assert builder.step(draft, 2, "up 2") == 1
    assert names() == ["aligned", "comment", "where"]
    assert builder.step(draft, None, "down 0") is None
    assert names() == ["comment", "aligned", "where"]
    assert builder.step(draft, None, "duplicate 1") == 2
    assert names() == ["comment", "aligned", "aligned-2", "where"]
    builder.step(draft, None, "remove 0")
    assert names() == ["aligned", "aligned-2", "where"]
    for odd in ("up 0", "down 2", "remove 9", "open 9", "add poetry", "dance", "up x", "-", "add-"):
        builder.step(draft, None, odd)
    assert names() == ["aligned", "aligned-2", "where"]


def test_another_kind_keeps_the_choices_that_were_typed():
    form = read_form(parse("Title: A\nb (choice): C\n- red = Red\n- blue = Blue"))
    draft = builder.draft_of(form.definition())
    draft["questions"][0]["kind"] = "yes/no"
    draft, _ = builder.read_fields(posted(draft, 0))
    assert read_form(builder.definition_of(draft)).questions[0].choices == YES_NO
    draft["questions"][0]["kind"] = "choice"
    assert read_form(builder.definition_of(draft)) == form


@pytest.mark.parametrize(
    ("lines", "place"),
    [
        ("a (yes/no): B\nc (choice): D\n- one", (1, "choices")),
        ("a (yes/no): B\na (text): D", (1, "name")),
        ("quality (text): B", (0, "name")),
        ("n (number 3 to 1): B", (0, "numbers")),
        ("a (text, when b is 1): C", (0, "when")),
        ("a (text, can't tell): C", (0, "cant_tell")),
    ],
)
def test_each_mistake_finds_its_field(lines, place):
    definition = parse(f"Title: A\n{lines}")
    draft = builder.draft_of(definition)
    with pytest.raises(FormRefused) as refusal:
        read_form(definition)
    assert builder.place_of(refusal.value.wrong[0], draft) == place


@pytest.mark.parametrize("odd", ["", "5", "[]", "{", '{"choices": 5}', '{"when": [5]}', "null"])
def test_odd_fields_are_a_draft_all_the_same(odd):
    post = QueryDict(mutable=True)
    post.setlist("question", [odd, odd])
    post.setlist("when", [odd])
    for opened in ("", "0", "7", "x", "9" * 9):
        post["open"] = opened
        draft, number = builder.read_fields(post)
        builder.step(draft, number, "add choice")
        builder.condition_ticks(draft, 1)
        with pytest.raises(FormRefused):
            read_form(builder.definition_of(draft))
        json.dumps(draft)

from audit.words.notes import letter, notes_of
from audit.words.numbers import Cell


def empty(reason):
    return Cell("", "", "", reason, 0)


def test_a_reason_stands_once_however_many_cells_it_is_about():
    constant = empty("every label is yes")
    cells = [empty("no gain"), constant, constant, Cell("0.5", "", "", "", 40, "one prompt")]
    cells.append(Cell("0.3", "0.2", "0.4", "", 40, remark="all pairs are ties"))
    notes = notes_of(cells)
    assert [notes.add_mark(cell).mark for cell in cells] == ["a", "b", "b", "c", "d"]
    assert notes.lines == [
        ("a", "no gain"),
        ("b", "every label is yes"),
        ("c", "no interval, one prompt"),
        ("d", "all pairs are ties"),
    ]


def test_rows_that_differ_in_their_count_alone_share_a_note():
    few = [empty(f"too few to judge: {n} images, at least 30 needed") for n in (6, 4, 29)]
    prompts = empty("too few to judge: 6 prompts, at least 10 needed")
    notes = notes_of([*few, prompts])
    assert {notes.add_mark(cell).mark for cell in few} == {"a"}
    assert notes.lines == [
        ("a", "too few to judge: 4 to 29 images, at least 30 needed"),
        ("b", "too few to judge: 6 prompts, at least 10 needed"),
    ]


def test_a_number_with_its_interval_has_no_mark():
    there = Cell("0.5", "0.4", "0.6", "", 40)
    assert notes_of([there]).lines == []
    assert notes_of([there, empty("x")]).add_mark(there).mark == ""


def test_after_z_letters_stand_twice():
    assert [letter(place) for place in (0, 25, 26, 51, 52)] == ["a", "z", "aa", "zz", "aaa"]

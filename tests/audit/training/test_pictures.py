from audit.training.pictures import _said


def test_five_pictures_are_named_and_the_others_counted():
    assert _said([], "no picture is there of") == []
    assert _said(list("abcde"), "no picture is there of") == [
        "No picture is there of a, b, c, d, e."
    ]
    assert _said(list("abcdefg"), "no picture is there of") == [
        "No picture is there of a, b, c, d, e and 2 more."
    ]

from audit.training.pictures import _quote_keys


def test_five_pictures_are_named_and_the_others_counted():
    assert _quote_keys([], "no picture is there of") == []
    assert _quote_keys(list("abcde"), "no picture is there of") == [
        "No picture is there of a, b, c, d, e."
    ]
    assert _quote_keys(list("abcdefg"), "no picture is there of") == [
        "No picture is there of a, b, c, d, e and 2 more."
    ]

import pytest
from rest_framework.serializers import ValidationError

from annotations.api.serializers import AnswerField


@pytest.mark.parametrize("sent", [1, 0.5, "two", "", ["red", "blue"], []])
def test_an_answer_is_a_number_a_text_or_texts(sent):
    assert AnswerField().to_internal_value(sent) == sent


@pytest.mark.parametrize("sent", [None, {"a": 1}, [None], "two\0", ["red", "\0"]])
def test_anything_else_is_no_answer_nor_is_a_text_that_no_database_keeps(sent):
    with pytest.raises(ValidationError, match="A number, a text or a list of texts"):
        AnswerField().to_internal_value(sent)

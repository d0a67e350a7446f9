"""A command before the first upgrade ends with a sentence, on both databases."""

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from annotations.management.command import PlainCommand


class Reads(PlainCommand):
    def handle(self, **options) -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM a_table_of_tomorrow")


@pytest.mark.django_db
def test_a_table_that_is_not_there_is_a_sentence_that_says_what_to_run():
    with pytest.raises(CommandError, match=r"Run `manage\.py upgrade` first"):
        call_command(Reads())

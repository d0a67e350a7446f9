from django.db import migrations

# What an event says stays as it was written, whoever asks the database; who it was can be taken
# out when a person is erased, and a study takes its events with it. SQLite changes a column by making
# the table anew, and loses the trigger on the way: such a migration calls `protect` once more.
SAYS = "study_id, at, did, words, by_command"
SQLITE = f"""
CREATE TRIGGER an_event_stays BEFORE UPDATE OF {SAYS} ON annotations_event
BEGIN SELECT RAISE(ABORT, 'an event is written once'); END
"""
POSTGRES = f"""
CREATE FUNCTION an_event_stays() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'an event is written once'; END $$;
CREATE TRIGGER an_event_stays BEFORE UPDATE OF {SAYS} ON annotations_event
FOR EACH ROW EXECUTE FUNCTION an_event_stays();
"""


def protect(apps, editor):
    editor.execute(POSTGRES if editor.connection.vendor == "postgresql" else SQLITE)


def open_up(apps, editor):
    if editor.connection.vendor == "postgresql":
        editor.execute("DROP TRIGGER an_event_stays ON annotations_event")
        editor.execute("DROP FUNCTION an_event_stays()")
    else:
        editor.execute("DROP TRIGGER an_event_stays")


class Migration(migrations.Migration):
    dependencies = [("annotations", "0001_initial")]
    operations = [migrations.RunPython(protect, open_up)]

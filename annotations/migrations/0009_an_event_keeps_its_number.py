from django.db import migrations

# SQLite's REPLACE takes the row that is in its way without asking the trigger of deletions, and a new number
# would do the same to another event. A migration that makes the table anew there calls `protect` once more.
NUMBER = "BEFORE UPDATE OF id ON annotations_event"
SQLITE = (
    f"""
CREATE TRIGGER an_event_keeps_its_number {NUMBER}
BEGIN SELECT RAISE(ABORT, 'an event is written once'); END
""",
    """
CREATE TRIGGER an_event_is_not_replaced BEFORE INSERT ON annotations_event
WHEN EXISTS (SELECT 1 FROM annotations_event WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'an event is written once'); END
""",
)
POSTGRES = (
    f"""
CREATE TRIGGER an_event_keeps_its_number {NUMBER} FOR EACH ROW EXECUTE FUNCTION an_event_stays()
""",
)


def protect(apps, editor):
    for statement in POSTGRES if editor.connection.vendor == "postgresql" else SQLITE:
        editor.execute(statement)


def open_up(apps, editor):
    if editor.connection.vendor == "postgresql":
        editor.execute("DROP TRIGGER an_event_keeps_its_number ON annotations_event")
    else:
        editor.execute("DROP TRIGGER an_event_keeps_its_number")
        editor.execute("DROP TRIGGER an_event_is_not_replaced")


class Migration(migrations.Migration):
    dependencies = [("annotations", "0008_seconds_of_workers")]
    operations = [migrations.RunPython(protect, open_up)]

from django.db import migrations

# Events are only added. The one way for them to go is with their study, once that is being deleted
# (`annotations.studies.deletion`, which retention calls too): then `deleted_at` is set. Those of the
# installation belong to no study, and stay. SQLite loses triggers where a table is made anew: such a
# migration calls `protect` once more.
GOING = "SELECT 1 FROM annotations_study WHERE id = OLD.study_id AND deleted_at IS NOT NULL"
SQLITE = (
    f"""
CREATE TRIGGER an_event_goes_with_its_study BEFORE DELETE ON annotations_event
WHEN NOT EXISTS ({GOING})
BEGIN SELECT RAISE(ABORT, 'an event goes only with its study'); END
""",
)
POSTGRES = (
    f"""
CREATE FUNCTION an_event_goes_with_its_study() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN
    IF TG_OP = 'TRUNCATE' THEN RAISE EXCEPTION 'an event goes only with its study'; END IF;
    IF NOT EXISTS ({GOING}) THEN RAISE EXCEPTION 'an event goes only with its study'; END IF;
    RETURN OLD;
END $$
""",
    """
CREATE TRIGGER an_event_goes_with_its_study BEFORE DELETE ON annotations_event
FOR EACH ROW EXECUTE FUNCTION an_event_goes_with_its_study()
""",
    """
CREATE TRIGGER events_are_not_truncated BEFORE TRUNCATE ON annotations_event
FOR EACH STATEMENT EXECUTE FUNCTION an_event_goes_with_its_study()
""",
)


def protect(apps, editor):
    for statement in POSTGRES if editor.connection.vendor == "postgresql" else SQLITE:
        editor.execute(statement)


def open_up(apps, editor):
    if editor.connection.vendor == "postgresql":
        editor.execute("DROP TRIGGER IF EXISTS an_event_goes_with_its_study ON annotations_event")
        editor.execute("DROP TRIGGER IF EXISTS events_are_not_truncated ON annotations_event")
        editor.execute("DROP FUNCTION IF EXISTS an_event_goes_with_its_study()")
    else:
        editor.execute("DROP TRIGGER IF EXISTS an_event_goes_with_its_study")


class Migration(migrations.Migration):
    dependencies = [("annotations", "0006_counts_are_answers")]
    operations = [migrations.RunPython(protect, open_up)]

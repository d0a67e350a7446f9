"""`manage.py import_preferences STUDY FILE`: votes on pairs that judges gave elsewhere."""

from pathlib import Path

from annotations import event_log
from annotations.management.command import StudyCommand
from judges.preferences.imported import take_votes


class Command(StudyCommand):
    help = (
        "Take judges' votes on pairs of images of the study from a file: rows of first, second and value; of "
        "pair_id and value; or of prompt, left_model, right_model and vote_type. The leaderboard shows how often "
        "each says what people say."
    )

    def arguments(self, add) -> None:
        add("file", "CSV, JSONL, JSON or Parquet", type=Path)
        add("--judge", "whose votes they are, where no column says it", default="", metavar="NAME")
        add.flag("--skip", "leave out the rows that do not fit, and name them")

    def do(self, study, *, file, judge, skip, **options) -> str:
        said = take_votes(study=study, path=file, judge=judge, skip=skip).sentence()
        event_log.note(study, "imported", f"imported judges' votes on pairs: {said[:200]}")
        return said

"""What pages count over all labels of a study: each question stands beside the code that counts."""

from annotations.pages import form
from annotations.studies import adjudication, annotator_quality, queries
from audit.images import browse
from audit.reports import pairing
from judges.exports import tables

QUESTIONS = (
    annotator_quality.PEOPLE,
    adjudication.DISAGREEMENTS,
    queries.STUDY,
    form.ANSWERED,
    tables.ROWS,
    pairing.QUESTIONS,
    browse.TAGS,
)

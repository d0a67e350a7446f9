"""What do people say together about each image? Its answer is a table of rows, by which the data browser filters."""

from audit.images.tally import TALLY

QUESTIONS = (TALLY,)

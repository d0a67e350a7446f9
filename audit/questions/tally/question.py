"""What do people say together about each image? The answer are rows that the data browser filters by."""

from audit.images.tally import TALLY

QUESTIONS = (TALLY,)

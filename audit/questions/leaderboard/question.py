"""Which generators win, by people and by each judge?"""

from annotations.stored_answers.question import Question
from audit.contests.parameters import Parameters
from audit.contests.standings import leaderboard

LEADERBOARD = Question(
    name="leaderboard", compute=leaderboard, parameters=Parameters, reads_votes=True
)
QUESTIONS = (LEADERBOARD,)

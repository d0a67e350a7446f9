"""How well do people agree with each other?"""

from annotations.stored_answers.question import Question
from audit.people.agreement import body_of

AGREEMENT = Question(
    name="agreement",
    compute=lambda study, parameters: body_of(study),
    keeps_up=True,
)
QUESTIONS = (AGREEMENT,)

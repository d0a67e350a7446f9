from annotations.models.annotation import Annotation, Answer, Decision, Flag, Revision
from annotations.models.assignment import Assignment, HandedBack
from annotations.models.draw import AnchorImage, AnchorRound, AnchorSet, Draw, DrawnImage
from annotations.models.event import Event
from annotations.models.form import FormVersion
from annotations.models.image import Generator, Image
from annotations.models.job import (
    Deletion,
    Job,
    Leased,
    StudyCopy,
    in_outcome,
    in_payload,
    row_in_payload,
)
from annotations.models.pair import Pair, PairAssignment, PairDraw, PairPlan, PairVote
from annotations.models.people import Group, Invitation, Membership
from annotations.models.practice import KnownAnswer, PracticeAnswer, PracticeTry
from annotations.models.prompt import Atom, Prompt, PromptPicture
from annotations.models.requests import KeptAnswer, RateCount
from annotations.models.selection import SelectedImage, Selection
from annotations.models.stored_answer import AnswerJob, LabelVersion, StoredAnswer
from annotations.models.study import ExamplePicture, Retention, Study, optional_account

from annotations.models.annotation import Annotation, Answer, Revision
from annotations.models.assignment import Assignment
from annotations.models.flag import Flag
from annotations.models.form import FormVersion
from annotations.models.image import Generator, Image
from annotations.models.people import Membership
from annotations.models.prompt import Atom, Prompt
from annotations.models.study import Study

__all__ = [
    "Annotation",
    "Answer",
    "Assignment",
    "Atom",
    "Flag",
    "FormVersion",
    "Generator",
    "Image",
    "Membership",
    "Prompt",
    "Revision",
    "Study",
]

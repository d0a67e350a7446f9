"""The first account of an installation, which runs it: made by a page or by `manage.py createowner`.

Whoever makes it owns the installation, so a stranger must not come first. From the machine itself the
page asks for nothing more; from elsewhere it asks for a code that only the terminal and the log of
`manage.py serve` show. The code follows from SECRET_KEY: every web process knows it, and a restart
does not change it. Once there is an account, it opens nothing.
"""

from __future__ import annotations

import base64
from datetime import timedelta

from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.crypto import constant_time_compare, salted_hmac

from annotations import event_log
from annotations.database import locks
from annotations.errors import Refused
from annotations.names import clean_name, name_like
from annotations.rates import Rate

WRONG_CODES = Rate("wrong first codes", free=10, every=timedelta(minutes=1))
TOO_LATE = "Somebody has made the first account already: log in, or ask them for an invitation."


def none_yet() -> bool:
    return not User.objects.exists()


def make(*, name: str, password: str, email: str = "", first: bool = False) -> User:
    """An account that runs this installation. `first`: refused once there is any account; of two
    people who try at once, one gets it."""
    name = clean_name(name)
    user = User(username=name, email=email, is_staff=True, is_superuser=True)
    try:
        user.clean_fields(exclude=["password"])
        validate_password(password, user)
    except ValidationError as error:
        raise Refused(" ".join(error.messages)) from None
    user.set_password(password)
    # The lock outlives the transaction: whoever waits for it sees what was written.
    with locks.hold_alone("first-account"), transaction.atomic():
        if first and not none_yet():
            raise Refused(TOO_LATE)
        like = name_like(name, User.objects.values_list("username", flat=True))
        if like is not None:
            raise Refused(f"There is an account “{like}” already.")
        user.save()
        event_log.note_account("account", "made to run this installation", account=user)
    return user


def code() -> str:
    """Twelve letters and digits in three groups: 60 bits that nobody can guess."""
    digest = salted_hmac("first account", "code", algorithm="sha256").digest()
    letters = base64.b32encode(digest).decode()[:12]
    return "-".join(letters[start : start + 4] for start in (0, 4, 8))


def is_code(given: str) -> bool:
    plain = "".join(letter for letter in given.upper() if letter.isalnum())
    return constant_time_compare(plain, code().replace("-", ""))

"""One file that holds an installation: its database at one moment, its files, and the secret key on
which pseudonyms rest.

A plain tar, since pictures are compressed already. `SHA256SUMS` in it has a line for each file, and a
line behind the tar seals every byte of it. Both are compared before anything is restored.
"""

from audit.installation.backups.contents import NOTE, Contents
from audit.installation.backups.make import back_up
from audit.installation.backups.restore import check, restore

__all__ = ["NOTE", "Contents", "back_up", "check", "restore"]

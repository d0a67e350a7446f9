"""People's names, from files, forms and single sign-on: one spelling each, and none that only looks
like another.

`clean_name` makes the spelling: compatible forms become one (NFKC), what nobody sees goes, and so do
spaces around it. `name_look` is equal for names that look alike in most typefaces: letters of other alphabets
that are drawn like Latin ones, and small capitals, count as these. It is compared, and never stored.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

# Format characters (zero width, direction), controls, halves, and letters that are drawn empty.
INVISIBLE = frozenset({"Cf", "Cc", "Cs", "Co", "Cn"})
EMPTY = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5")
# Marks that choose between forms of the letter before, and are not drawn themselves.
EMPTY |= {
    chr(code) for code in (*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
}
LOOKS = str.maketrans(
    "аеорсухіјѕһԁԛԝӏАВЕКМНОРСТХУІЈЅԌԚԜΑΒΕΖΗΙΚΜΝΟΡΤΥΧοανρικυıɑɡօսոհցԱՕՍ",
    "aeopcyxijshdqwlABEKMHOPCTXYIJSGQWABEZHIKMNOPTYXoavpikuiagounhgUOU",
)
# Small capitals, and letters of Cherokee and Lisu.
LOOKS |= str.maketrans(
    "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢᎪᏴᏟᎠᎬᏀᎻᎫᏦᏞᎷᏢᎡᏚᎢᏙᎳᏃꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ",
    "ABCDEFGHIJKLMNOPRSTUVWYZABCDEGHJKLMPRSTVWZBPDTGKJCZFMNLSRVHWXYAEIOU",
)


def clean_name(text: str) -> str:
    if text.isascii() and text.isprintable() and " " not in text:
        return text
    composed = unicodedata.normalize("NFKC", text)
    seen = (
        " " if letter.isspace() else letter
        for letter in composed
        if letter.isspace()
        or (unicodedata.category(letter) not in INVISIBLE and letter not in EMPTY)
    )
    # Dropping a letter may have brought two together that compose.
    return " ".join(unicodedata.normalize("NFKC", "".join(seen)).split())


def name_look(name: str) -> str:
    return clean_name(name).translate(LOOKS)


def name_like(name: str, others: Iterable[str]) -> str | None:
    """The first of the others that this one could be taken for, whatever the case; None: there is none."""
    look = name_look(name).casefold()
    return next((other for other in others if name_look(other).casefold() == look), None)

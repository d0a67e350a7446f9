"""The word lists of the prompt grammar: determiners, prepositions, attributes, verbs, plurals."""

from __future__ import annotations

from jurybox_formats.prompt_grammar.vocabulary import COCO, NUMBERS

DETERMINERS = {"a", "an", "the", "its", "his", "her", "their", "some", "this", "that", "my", "your"}
COUNTS = {word: word for word in NUMBERS[1:]} | {
    str(number): word for number, word in enumerate(NUMBERS) if number
}
COPULAS = {"is", "are", "was", "were", "be", "being", "been"}
# Longest first: "on the left of" before "on".
RELATIONS = sorted(
    [
        *("to the left of", "to the right of", "on the left of", "on the right of"),
        *("on the left side of", "on the right side of", "on the side of", "on side of"),
        *("on the top of", "on top of", "on the bottom of", "in front of", "in the middle of"),
        *("next to", "close to", "left of", "right of", "hidden by", "above", "across", "against"),
        *("along", "around", "at", "behind", "below", "beneath", "beside", "between", "by", "for"),
        *("from", "in", "inside", "into", "near", "of", "off", "on", "onto", "out of", "over"),
        *("past", "through", "to", "toward", "towards", "under", "underneath", "upon", "with"),
        "without",
    ],
    key=lambda words: -len(words.split()),
)
# Openings that say nothing about the content of the picture.
OPENINGS = (
    *("a photo of", "a picture of", "a photograph of", "an image of", "a painting of"),
    *("a drawing of", "an illustration of", "a photo-realistic image of"),
)
CONNECTIVES = {"and", "or", "while", "as", "then", "but", "who", "which", "where", "when", "that"}
ADVERBS = {
    "very",
    "not",
    "also",
    "together",
    "there",
    "here",
    "up",
    "down",
    "away",
    "each",
    "other",
}
# Attributes that cannot be recognised by an ending.
_ATTRIBUTES = (
    "red orange yellow green blue purple pink brown black white gray grey gold silver violet "
    "beige teal cyan magenta maroon navy turquoise tan dark light bright pale "
    "big small large little huge tiny tall short long wide narrow thick thin high low round "
    "square oval oblong cubic diamond teardrop crescent flat curved sharp smooth rough soft "
    "hard old young new modern ancient clean empty full open closed fresh ripe raw hot cold "
    "warm cool wet dry glass plastic metal stone rubber leather fabric cotton paper wood "
    "steel iron brick marble ceramic concrete velvet silk wool brass copper bronze denim "
    "busy calm crisp fast slow happy sad angry cute strong weak heavy plain rich male female"
)
ATTRIBUTES = set(_ATTRIBUTES.split())
ENDINGS = ("y", "en", "ed", "ic", "al", "ar", "ful", "ous", "less", "ish", "ent", "ive", "ing")
# Words with such an ending that are things nevertheless.
_THINGS = (
    "baby lady boy toy key sky city body family butterfly monkey turkey donkey puppy kitty bunny "
    "cherry berry strawberry candy cookie party library battery ivy daisy lily pony fairy "
    "kitchen garden chicken oven kitten children men women screen pen hen linen citizen queen "
    "bed seed weed shed medal animal petal signal crystal hospital car guitar jar bar star "
    "pillar collar altar sugar calendar cellar building ceiling ring wing king string painting "
    "wedding swing clothing lightning earring evening morning music fabric picnic tent "
    "student parent cent present olive dive fish dish rubbish bus tray boy berry galaxy"
)
THINGS = set(_THINGS.split())
# Verbs of prompts that do not end in -ing, as they stand after a copula or between two things.
_VERBS = (
    "sits stands lies runs flies jumps plays holds wears rides eats drinks looks watches chases "
    "carries walks swims sleeps sat stood lay hung parked mounted resting held placed surrounded "
    "covered filled flowed floated made"
)
VERBS = set(_VERBS.split())
COMPOUNDS = {tuple(name.split()) for name in COCO if " " in name} | {
    ("ice", "cream"),
    ("water", "bottle"),
    ("coffee", "cup"),
    ("coffee", "table"),
    ("coat", "rack"),
    ("street", "light"),
    ("christmas", "tree"),
    ("polar", "bear"),
    ("living", "room"),
    ("tennis", "ball"),
    ("book", "shelf"),
}
IRREGULAR = {
    "men": "man",
    "women": "woman",
    "children": "child",
    "people": "person",
    "mice": "mouse",
    "feet": "foot",
    "teeth": "tooth",
    "geese": "goose",
    "knives": "knife",
    "wolves": "wolf",
    "leaves": "leaf",
    "shelves": "shelf",
    "loaves": "loaf",
}
# Endings that "s" does not take off: glasses, boxes, dishes, berries.
SAME = {"sheep", "fish", "scissors", "skis", "glasses", "pants", "jeans", "bus", "grass", "glass"}
# Nouns without a plural: "is there any snow", not "are there any snows".
_UNCOUNTED = (
    "snow rain water ice fog mist smoke steam fire sand mud grass hay dust dirt air sunlight moonlight "
    "light darkness fur hair wool wood metal paper gold silver glass milk coffee tea wine beer juice honey "
    "butter bread rice pasta cheese meat chocolate sugar salt flour jewelry furniture luggage clothing "
    "money traffic graffiti foliage greenery seaweed lava fruit"
)
UNCOUNTED = frozenset(_UNCOUNTED.split())


def singular(noun: str) -> str:
    """The singular of a noun; good enough to name an atom."""
    if noun in IRREGULAR:
        return IRREGULAR[noun]
    if noun in SAME or noun.endswith(("ss", "us", "is")) or len(noun) < 4:
        return noun
    if noun.endswith("ies"):
        return noun[:-3] + "y"
    if noun.endswith(("ses", "xes", "zes", "ches", "shes")):
        return noun[:-2]
    return noun.removesuffix("s")


def plural(noun: str) -> str:
    """English enough for a question."""
    for several, single in IRREGULAR.items():
        if noun == single or noun.endswith(f" {single}"):
            return noun.removesuffix(single) + several
    if noun in SAME and not noun.endswith("s"):
        return noun
    if noun.endswith(("s", "x", "z", "ch", "sh")):
        return noun + "es"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + "s"


def existence_question(noun: str) -> str:
    if noun.rpartition(" ")[2] in UNCOUNTED:
        return f"Is there any {noun} in the image?"
    return f"Are there any {plural(noun)} in the image?"


def is_attribute(word: str) -> bool:
    if word in ATTRIBUTES:
        return True
    if word.endswith("ly"):
        return False
    return word not in THINGS and len(word) > 3 and word.endswith(ENDINGS)

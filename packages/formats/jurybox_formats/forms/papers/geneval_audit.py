"""The two yes/no questions of the GenEval 2 paper's first study (appendix C.1, figures 8 to 10)."""

from jurybox_formats.forms.definition import YES_NO, Example, Form, Question

QUALITY = Question(
    "quality", "Is the image of good quality? (i.e., are the objects well-formed?)", YES_NO
)

NOTES = (
    "Make sure to answer the two questions separately and independently. The image could align "
    "well with the prompt but be of poor quality, or vice versa, as shown in Examples 2 and 3.",
    "If an object is only partially visible, consider it identifiable if you can clearly, "
    "unambiguously identify the object.",
    "Some of the text prompts are unrealistic (e.g., “a toothbrush above a bus” in Example 1), so "
    "the image may look unrealistic, which is fine. Question Q2 is only about quality (are the "
    "objects well-formed?), not realism. For example: If a laptop is floating in the air above a "
    "dog, the image (while unrealistic) could still be of good quality; if the dog is small and "
    "made of plastic, the image could similarly still be of good quality; but if the dog has two "
    "faces (as in Example 2), it is not well-formed and the image is not of good quality.",
    "For Position prompts (right of, left of, etc): Answer from your perspective as the viewer of "
    "the image, not from the perspective of the objects in the image.",
    "If an object has multiple spatial relations with respect to another object (e.g., backpack "
    "behind and left of a sandwich in Example 3), that is fine, as long as the spatial relation "
    "in the text prompt is correct (e.g. if the text prompt in Example 3 had been “A backpack "
    "left of a sandwich” instead of “right”, the answer to Question Q1 would have been Yes).",
    "For the preposition “above”, consider an object to be above another if it is above it in 3D "
    "space or in the 2D plane of the image.",
)

EDGE_CASES = (
    Example(
        "A train to the right of a table",
        ("Yes", "Yes"),
        "Ambiguous Positions. While the train could be classified as “above” the table, its angle "
        "makes it look more to the right of the table.",
    ),
    Example(
        "A purple wine glass and a black apple",
        ("Yes", "Yes"),
        "Ambiguous Colors. While the apple could be seen as a very dark purple, it looks more "
        "like a black apple partially reflecting the purple environment.",
    ),
    Example(
        "A couch below a cup",
        ("Yes", "Yes"),
        "Ambiguous Perspectives. The couch is below the mug, as the image looks like it was taken "
        "from above. While the perspective is strange, the relative position requested in the "
        "prompt is still correct in the image.",
    ),
)

FORM = Form(
    slug="geneval-audit",
    title="Alignment and quality",
    source="GenEval 2, appendix C.1, figures 8 to 10",
    introduction=(
        "In this task, you will be given a text prompt and an image, followed by two yes/no "
        "questions. Answer the questions in accordance with the instructions below."
    ),
    questions=(Question("aligned", "Does the image align with the prompt?", YES_NO), QUALITY),
    notes=NOTES,
    examples=(
        Example(
            "A toothbrush above a bus",
            ("Yes", "Yes"),
            "Q1: There is an identifiable toothbrush and bus, and the toothbrush is above the "
            "bus. Q2: The toothbrush and bus are both well-formed, so the image is of good "
            "quality (even if the prompt is unrealistic).",
        ),
        Example(
            "Two dogs",
            ("Yes", "No"),
            "Q1: There are two identifiable dogs in the image. Q2: One of the dogs is not "
            "well-formed (it has two faces), so the image is not of good quality.",
        ),
        Example(
            "A backpack right of a sandwich",
            ("No", "Yes"),
            "Q1: There is an identifiable backpack and sandwich (a burger is a type of sandwich), "
            "but the backpack is behind and left of the sandwich, not to its right. Q2: The "
            "backpack and sandwich are both well-formed, so the image is of good quality.",
        ),
        Example(
            "A baseball bat and a bear",
            ("No", "No"),
            "Q1: The image does not contain an identifiable baseball bat and bear. Q2: The "
            "objects are not well-formed, so the image is not of good quality.",
        ),
    ),
    edge_cases=EDGE_CASES,
)
FORMS = (FORM,)
ORDER = 10

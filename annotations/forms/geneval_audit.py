"""The two yes/no questions of the GenEval 2 paper's first study (appendix C.1, figures 8 to 10)."""

from annotations.forms.question import YES_NO, Example, Form, Question

FORM = Form(
    slug="geneval-audit",
    title="Alignment and quality",
    source="GenEval 2, appendix C.1, figures 8 to 10",
    introduction=(
        "You will be given a text prompt and an image, followed by two yes/no questions. "
        "Answer the two questions separately and independently: the image could align well with "
        "the prompt but be of poor quality, or vice versa."
    ),
    questions=(
        Question("aligned", "Does the image align with the prompt?", YES_NO),
        Question(
            "quality",
            "Is the image of good quality? (i.e., are the objects well-formed?)",
            YES_NO,
        ),
    ),
    notes=(
        "If an object is only partially visible, consider it identifiable if you can clearly, "
        "unambiguously identify the object.",
        "Some prompts are unrealistic, so the image may look unrealistic, which is fine. The "
        "second question is only about quality (are the objects well-formed?), not realism.",
        "Left and right: answer from your perspective as the viewer of the image, not from the "
        "perspective of the objects in it.",
        "An object may have several spatial relations to another at once (behind and left of); "
        "that is fine as long as the relation in the prompt is one of them.",
        "“Above”: an object is above another if it is above it in 3D space or in the 2D plane of "
        "the image.",
        "In ambiguous cases, just use your best judgement.",
    ),
    examples=(
        Example(
            "A toothbrush above a bus",
            ("Yes", "Yes"),
            "There is an identifiable toothbrush and bus, and the toothbrush is above the bus. "
            "Both are well-formed, so the image is of good quality (even if the prompt is "
            "unrealistic).",
        ),
        Example(
            "Two dogs",
            ("Yes", "No"),
            "There are two identifiable dogs in the image. One of them has two faces: it is not "
            "well-formed, so the image is not of good quality.",
        ),
        Example(
            "A backpack right of a sandwich",
            ("No", "Yes"),
            "The backpack is behind and left of the sandwich, not to its right. Both are "
            "well-formed.",
        ),
        Example(
            "A baseball bat and a bear",
            ("No", "No"),
            "The image does not contain an identifiable baseball bat and bear, and the objects "
            "are not well-formed.",
        ),
    ),
)

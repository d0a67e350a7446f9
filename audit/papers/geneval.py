"""GenEval: agreement with people when it was new."""

from audit.papers.table import Paper, Published, rows

PAPER = Paper(
    "geneval",
    "GenEval",
    "Ghosh, Hajishirzi & Schmidt 2023, GenEval: An Object-Focused Framework for Evaluating "
    "Text-to-Image Alignment.",
    (
        Published(
            "Table 5",
            "agreement with single annotators",
            "judge",
            ("overall", "single", "two", "counting", "colors", "position", "attribute"),
            rows(
                "Table 5",
                {
                    "CLIPScore ViT-B/32": (0.773, 0.991, 0.720, 0.604, 0.811, 0.790, 0.723),
                    "CLIPScore ViT-L/14": (0.760, 0.985, 0.692, 0.583, 0.796, 0.786, 0.719),
                    "CLIPScore ViT-H/14": (0.798, 0.986, 0.828, 0.734, 0.827, 0.682, 0.732),
                    "GENEVAL": (0.834, 0.953, 0.799, 0.823, 0.808, 0.823, 0.799),
                    "Interannotator": (0.878, 0.990, 0.872, 0.901, 0.854, 0.797, 0.853),
                },
                places=3,
            ),
            note="Agreement over image and annotator pairs; CLIPScore at its best threshold per task.",
        ),
        Published(
            "Table 4",
            "Cohen’s κ with annotators on the colour tasks",
            "judge",
            ("colors", "attribute binding"),
            rows(
                "Table 4",
                {
                    "GENEVAL, crop and mask": (0.45, 0.49),
                    "CLIPScore": (0.23, 0.47),
                    "Interannotator": (0.55, 0.65),
                },
                places=2,
            ),
        ),
        Published(
            "Table 2",
            "GenEval’s score, and people’s where asked",
            "generator",
            ("judge", "human"),
            rows(
                "Table 2",
                {
                    "CLIP retrieval": (0.35, 0.42),
                    "SDv2.1": (0.50, 0.57),
                    "SD-XL": (0.55, None),
                    "IF-XL": (0.61, 0.72),
                },
                places=2,
            ),
        ),
    ),
)

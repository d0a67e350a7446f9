"""GenAI-Bench: automated metrics against ratings from 1 to 5."""

from audit.papers.table import Paper, Published, rows

PAPER = Paper(
    "genai-bench",
    "GenAI-Bench",
    "Li et al. 2024, GenAI-Bench: Evaluating and Improving Compositional Text-to-Visual Generation.",
    (
        Published(
            "Table 2",
            "metrics against ratings, images, × 100",
            "judge",
            ("pairwise, ties calibrated", "Pearson", "Kendall"),
            rows(
                "Table 2, GenAI-Bench (Image)",
                {
                    "CLIPScore": (50.8, 16.4, 11.8),
                    "BLIPv2Score": (52.2, 17.2, 14.7),
                    "ImageReward": (56.6, 35.0, 24.0),
                    "PickScore": (57.1, 35.4, 25.0),
                    "HPSv2": (49.6, 13.9, 9.6),
                    "LLMScore": (53.2, 15.4, 13.6),
                    "BLIP-VQA": (54.3, 27.1, 23.0),
                    "VQ2": (51.9, 13.3, 12.0),
                    "Davidsonian": (54.6, 29.3, 22.4),
                    "VQAScore": (64.1, 49.9, 39.8),
                },
                places=1,
            ),
            note="Pairwise accuracy with ties calibrated, as in a report’s “pairwise, ties "
            "calibrated”; raters’ Krippendorff α 0.72.",
        ),
    ),
)

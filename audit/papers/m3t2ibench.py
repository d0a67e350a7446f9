"""M3T2IBench: correlation of metrics with two raters' 1 to 5."""

from audit.papers.table import Paper, Published, rows

PAPER = Paper(
    "m3t2ibench",
    "M3T2IBench",
    "M3T2IBench: A Large-Scale Multi-Category, Multi-Instance, Multi-Relation Text-to-Image "
    "Benchmark, 2025.",
    (
        Published(
            "Appendix A.4",
            "correlation with people over 500 images",
            "judge",
            ("Pearson", "Spearman", "Kendall"),
            rows(
                "Appendix A.4, human evaluation table",
                {
                    "mGPT-CoT": (0.0514, 0.0541, 0.0408),
                    "CLIP Score": (0.2296, 0.2255, 0.1594),
                    "3-in-1 Score": (0.2341, 0.2304, 0.1627),
                    "DSG": (0.3713, 0.3597, 0.2634),
                    "VQAScore": (0.4022, 0.4008, 0.2975),
                    "AlignScore (ours)": (0.6711, 0.6679, 0.5348),
                },
                places=4,
            ),
            {"Pearson": "pearson", "Spearman": "spearman", "Kendall": "kendall_tau_b"},
            scales=("rating",),
            note="The raters’ Krippendorff α is 0.92.",
        ),
    ),
)

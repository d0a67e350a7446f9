"""T2I-CompBench: correlation of its metrics with ratings."""

from audit.papers.table import Paper, Published, rows

PAPER = Paper(
    "compbench",
    "T2I-CompBench",
    "Huang et al. 2023, T2I-CompBench: A Comprehensive Benchmark for Open-world Compositional "
    "Text-to-image Generation.",
    (
        Published(
            "Table 5",
            "Kendall τ with people",
            "judge",
            ("color", "shape", "texture", "spatial", "non-spatial", "complex"),
            rows(
                "Table 5, τ",
                {
                    "CLIP": (0.1938, 0.0555, 0.2890, 0.2741, 0.2470, 0.0650),
                    "B-CLIP": (0.2674, 0.1692, 0.2999, 0.1983, 0.2342, 0.1963),
                    "B-VQA-n": (0.4602, 0.2280, 0.4227, None, None, None),
                    "B-VQA": (0.6297, 0.2707, 0.5177, None, None, None),
                    "UniDet": (None, None, None, 0.4756, None, None),
                    "3-in-1": (None, None, None, None, None, 0.2831),
                    "mGPT": (0.1197, 0.1282, 0.1061, 0.0208, 0.1181, 0.0066),
                },
                places=4,
            ),
        ),
        Published(
            "Table 5",
            "Spearman ρ with people",
            "judge",
            ("color", "shape", "texture", "spatial", "non-spatial", "complex"),
            rows(
                "Table 5, ρ",
                {
                    "CLIP": (0.2773, 0.0821, 0.4008, 0.3548, 0.3161, 0.0847),
                    "B-CLIP": (0.3788, 0.2413, 0.4187, 0.2544, 0.2964, 0.2755),
                    "B-VQA-n": (0.6179, 0.3180, 0.5830, None, None, None),
                    "B-VQA": (0.7958, 0.3795, 0.6995, None, None, None),
                    "UniDet": (None, None, None, 0.5136, None, None),
                    "3-in-1": (None, None, None, None, None, 0.3853),
                    "mGPT": (0.1616, 0.1775, 0.1460, 0.0229, 0.1418, 0.0084),
                },
                places=4,
            ),
        ),
    ),
)

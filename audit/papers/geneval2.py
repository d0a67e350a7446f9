"""GenEval 2: GenEval has drifted, and Soft-TIFA."""

from audit.papers.table import Paper, Published, rows

PAPER = Paper(
    "geneval2",
    "GenEval 2",
    "Kamath et al. 2025, GenEval 2: Addressing Benchmark Drift in Text-to-Image Evaluation.",
    (
        Published(
            "Table 1",
            "GenEval’s score, people’s, and the net deviation, without rewriting, %",
            "generator",
            ("judge", "human", "human − judge"),
            rows(
                "Table 1, without rewriting",
                {
                    "SD 2.1": (44.8, 42.5, -2.4),
                    "SD XL": (53.5, 56.6, 3.1),
                    "SD 3-med": (69.8, 75.2, 5.4),
                    "SD 3.5-large": (69.6, 77.0, 7.4),
                    "Flux.1-dev": (62.9, 73.1, 10.1),
                    "Bagel+CoT": (78.8, 87.7, 8.9),
                    "Qwen-Image": (81.4, 92.4, 11.0),
                    "Gemini 2.5-F-I": (75.4, 93.1, 17.7),
                },
                places=1,
            ),
            {
                "judge": "judge_score",
                "human": "human_score",
                "human − judge": "net_deviation",
            },
            note="Differences as printed; from the printed scores they would be −2.3 for SD 2.1 and "
            "10.2 for Flux.1-dev.",
        ),
        Published(
            "Table 1",
            "the same, with rewriting, %",
            "generator",
            ("judge", "human", "human − judge"),
            rows(
                "Table 1, with rewriting",
                {
                    "SD 3-med": (79.2, 85.9, 6.7),
                    "SD 3.5-large": (82.5, 92.8, 10.3),
                    "Flux.1-dev": (79.6, 95.3, 15.7),
                    "Bagel+CoT": (86.1, 95.1, 9.0),
                    "Qwen-Image": (87.2, 94.8, 7.6),
                    "Gemini 2.5-F-I": (82.1, 96.7, 14.6),
                },
                places=1,
            ),
        ),
        Published(
            "Table 3",
            "AUROC on GenEval 2 with Qwen3-VL, %",
            "judge",
            ("original", "rewritten", "both"),
            rows(
                "Table 3",
                {
                    "TIFA": (91.2, 91.2, 91.6),
                    "VQAScore": (93.5, 90.5, 92.4),
                    "Soft-TIFA AM": (92.8, 92.9, 93.0),
                    "Soft-TIFA GM": (94.2, 94.4, 94.5),
                },
                places=1,
            ),
            note="Table 7 prints 91.6 for TIFA on rewritten prompts.",
        ),
        Published(
            "Table 4",
            "people’s score and Soft-TIFA on GenEval 2, %",
            "generator",
            ("human, atoms", "Soft-TIFA AM", "human, prompts", "Soft-TIFA GM"),
            rows(
                "Table 4",
                {
                    "SD 2.1": (33.7, 40.8, 2.5, 5.2),
                    "SDXL": (45.3, 50.1, 4.3, 9.1),
                    "SD3": (64.5, 66.3, 14.0, 21.3),
                    "SD3.5-large": (67.8, 69.7, 14.3, 22.8),
                    "Flux": (67.0, 67.1, 15.3, 21.1),
                    "Bagel+CoT": (71.7, 70.9, 16.0, 23.1),
                    "Qwen": (82.0, 80.8, 26.8, 33.8),
                    "Gemini": (84.4, 82.8, 31.0, 44.6),
                },
                places=1,
            ),
        ),
    ),
)

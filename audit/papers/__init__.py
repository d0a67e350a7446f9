"""What the five papers printed: facts with their place, measured by their authors and not here."""

from audit.papers import compbench, genai_bench, geneval, geneval2, m3t2ibench

PAPERS = (geneval2.PAPER, geneval.PAPER, genai_bench.PAPER, compbench.PAPER, m3t2ibench.PAPER)

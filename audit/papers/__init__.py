"""Tables printed in the five papers. Their authors measured these numbers; nothing here is ours."""

from audit.papers import compbench, genai_bench, geneval, geneval2, m3t2ibench

PAPERS = (geneval2.PAPER, geneval.PAPER, genai_bench.PAPER, compbench.PAPER, m3t2ibench.PAPER)

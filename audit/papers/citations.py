"""Whom a report owes: the papers of its forms, judges and statistics, as BibTeX."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from audit import VERSION


class Work(NamedTuple):
    authors: str
    title: str
    year: int
    where: str  # a journal, a conference's proceedings or a publisher
    arxiv: str = ""


WORKS = {
    "ghosh2023geneval": Work(
        "Ghosh, Dhruba and Hajishirzi, Hannaneh and Schmidt, Ludwig",
        "GenEval: An Object-Focused Framework for Evaluating Text-to-Image Alignment",
        2023,
        "Advances in Neural Information Processing Systems 36",
        "2310.11513",
    ),
    "kamath2025geneval2": Work(
        "Kamath, Amita and others",
        "GenEval 2: Addressing Benchmark Drift in Text-to-Image Evaluation",
        2025,
        "arXiv",
    ),
    "lin2024vqascore": Work(
        "Lin, Zhiqiu and others",
        "Evaluating Text-to-Visual Generation with Image-to-Text Generation",
        2024,
        "European Conference on Computer Vision",
        "2404.01291",
    ),
    "li2024genaibench": Work(
        "Li, Baiqi and others",
        "GenAI-Bench: Evaluating and Improving Compositional Text-to-Visual Generation",
        2024,
        "arXiv",
        "2406.13743",
    ),
    "huang2023compbench": Work(
        "Huang, Kaiyi and others",
        "T2I-CompBench: A Comprehensive Benchmark for Open-world Compositional Text-to-image Generation",
        2023,
        "Advances in Neural Information Processing Systems 36",
        "2307.06350",
    ),
    "hu2023tifa": Work(
        "Hu, Yushi and others",
        "TIFA: Accurate and Interpretable Text-to-Image Faithfulness Evaluation with Question Answering",
        2023,
        "International Conference on Computer Vision",
        "2303.11897",
    ),
    "cho2024dsg": Work(
        "Cho, Jaemin and others",
        "Davidsonian Scene Graph: Improving Reliability in Fine-grained Evaluation for Text-to-Image Generation",
        2024,
        "International Conference on Learning Representations",
        "2310.18235",
    ),
    "hessel2021clipscore": Work(
        "Hessel, Jack and Holtzman, Ari and Forbes, Maxwell and Le Bras, Ronan and Choi, Yejin",
        "CLIPScore: A Reference-free Evaluation Metric for Image Captioning",
        2021,
        "Empirical Methods in Natural Language Processing",
        "2104.08718",
    ),
    "ku2024imagenhub": Work(
        "Ku, Max and others",
        "ImagenHub: Standardizing the evaluation of conditional image generation models",
        2024,
        "International Conference on Learning Representations",
        "2310.01596",
    ),
    "ku2024viescore": Work(
        "Ku, Max and others",
        "VIEScore: Towards Explainable Metrics for Conditional Image Synthesis Evaluation",
        2024,
        "Annual Meeting of the Association for Computational Linguistics",
        "2312.14867",
    ),
    "kirstain2023pick": Work(
        "Kirstain, Yuval and others",
        "Pick-a-Pic: An Open Dataset of User Preferences for Text-to-Image Generation",
        2023,
        "Advances in Neural Information Processing Systems 36",
        "2305.01569",
    ),
    "wu2023hpsv2": Work(
        "Wu, Xiaoshi and others",
        "Human Preference Score v2: A Solid Benchmark for Evaluating Human Preferences of Text-to-Image Synthesis",
        2023,
        "arXiv",
        "2306.09341",
    ),
    "xu2023imagereward": Work(
        "Xu, Jiazheng and others",
        "ImageReward: Learning and Evaluating Human Preferences for Text-to-Image Generation",
        2023,
        "Advances in Neural Information Processing Systems 36",
        "2304.05977",
    ),
    "delong1988auc": Work(
        "DeLong, Elizabeth R. and DeLong, David M. and Clarke-Pearson, Daniel L.",
        "Comparing the Areas under Two or More Correlated Receiver Operating Characteristic Curves: A Nonparametric Approach",
        1988,
        "Biometrics 44(3), 837--845",
    ),
    "cohen1960kappa": Work(
        "Cohen, Jacob",
        "A Coefficient of Agreement for Nominal Scales",
        1960,
        "Educational and Psychological Measurement 20(1), 37--46",
    ),
    "cohen1968weighted": Work(
        "Cohen, Jacob",
        "Weighted Kappa: Nominal Scale Agreement with Provision for Scaled Disagreement or Partial Credit",
        1968,
        "Psychological Bulletin 70(4), 213--220",
    ),
    "kendall1938tau": Work(
        "Kendall, Maurice G.", "A New Measure of Rank Correlation", 1938, "Biometrika 30, 81--93"
    ),
    "stuart1953tau": Work(
        "Stuart, Alan",
        "The Estimation and Comparison of Strengths of Association in Contingency Tables",
        1953,
        "Biometrika 40, 105--110",
    ),
    "spearman1904": Work(
        "Spearman, Charles",
        "The Proof and Measurement of Association between Two Things",
        1904,
        "American Journal of Psychology 15(1), 72--101",
    ),
    "deutsch2023ties": Work(
        "Deutsch, Daniel and Foster, George and Freitag, Markus",
        "Ties Matter: Meta-Evaluating Modern Metrics with Pairwise Accuracy and Tie Calibration",
        2023,
        "Empirical Methods in Natural Language Processing",
        "2305.14324",
    ),
    "thompson2024soft": Work(
        "Thompson, Brian and Mathur, Nitika and Deutsch, Daniel and Khayrallah, Huda",
        "Improving Statistical Significance in Human Evaluation of Automatic Metrics via Soft Pairwise Accuracy",
        2024,
        "Conference on Machine Translation",
    ),
    "calderon2025alt": Work(
        "Calderon, Nitay and Reichart, Roi and Dror, Rotem",
        "The Alternative Annotator Test for LLM-as-a-Judge: How to Statistically Justify Replacing Human Annotators with LLMs",
        2025,
        "arXiv",
        "2501.10970",
    ),
    "jung2025trust": Work(
        "Jung, Jaehun and Brahman, Faeze and Choi, Yejin",
        "Trust or Escalate: LLM Judges with Provable Guarantees for Human Agreement",
        2025,
        "International Conference on Learning Representations",
        "2407.18370",
    ),
    "guo2017calibration": Work(
        "Guo, Chuan and Pleiss, Geoff and Sun, Yu and Weinberger, Kilian Q.",
        "On Calibration of Modern Neural Networks",
        2017,
        "International Conference on Machine Learning",
        "1706.04599",
    ),
    "brier1950": Work(
        "Brier, Glenn W.",
        "Verification of Forecasts Expressed in Terms of Probability",
        1950,
        "Monthly Weather Review 78(1), 1--3",
    ),
    "brodersen2010balanced": Work(
        "Brodersen, Kay H. and Ong, Cheng Soon and Stephan, Klaas E. and Buhmann, Joachim M.",
        "The Balanced Accuracy and Its Posterior Distribution",
        2010,
        "International Conference on Pattern Recognition",
    ),
    "matthews1975": Work(
        "Matthews, Brian W.",
        "Comparison of the Predicted and Observed Secondary Structure of T4 Phage Lysozyme",
        1975,
        "Biochimica et Biophysica Acta 405(2), 442--451",
    ),
    "davis2006precision": Work(
        "Davis, Jesse and Goadrich, Mark",
        "The Relationship between Precision-Recall and ROC Curves",
        2006,
        "International Conference on Machine Learning",
    ),
    "schuirmann1987": Work(
        "Schuirmann, Donald J.",
        "A Comparison of the Two One-Sided Tests Procedure and the Power Approach for Assessing the Equivalence of Average Bioavailability",
        1987,
        "Journal of Pharmacokinetics and Biopharmaceutics 15(6), 657--680",
    ),
    "krippendorff2004": Work(
        "Krippendorff, Klaus", "Content Analysis: An Introduction to Its Methodology", 2004, "Sage"
    ),
    "fleiss1971": Work(
        "Fleiss, Joseph L.",
        "Measuring Nominal Scale Agreement among Many Raters",
        1971,
        "Psychological Bulletin 76(5), 378--382",
    ),
    "gwet2008": Work(
        "Gwet, Kilem Li",
        "Computing Inter-Rater Reliability and Its Variance in the Presence of High Agreement",
        2008,
        "British Journal of Mathematical and Statistical Psychology 61(1), 29--48",
    ),
    "shrout1979": Work(
        "Shrout, Patrick E. and Fleiss, Joseph L.",
        "Intraclass Correlations: Uses in Assessing Rater Reliability",
        1979,
        "Psychological Bulletin 86(2), 420--428",
    ),
}
OF_FORM = {
    "geneval-audit": ("kamath2025geneval2",),
    "geneval2-atoms": ("kamath2025geneval2",),
    "geneval-crowd": ("ghosh2023geneval",),
    "genai-likert": ("li2024genaibench",),
    "t2i-compbench": ("huang2023compbench",),
    "imagenhub": ("ku2024imagenhub",),
    "gedit": ("ku2024viescore",),
}
# By the name that a method or an engine has in a report.
OF_JUDGE = {
    "GenEval": ("ghosh2023geneval",),
    "SoftTifa": ("kamath2025geneval2",),
    "VqaScore": ("lin2024vqascore",),
    "Tifa": ("hu2023tifa",),
    "Dsg": ("cho2024dsg",),
    "ClipScore": ("hessel2021clipscore",),
    **dict.fromkeys(
        ("Spatial2D", "Spatial3D", "Numeracy", "ThreeInOne", "BlipVqa"), ("huang2023compbench",)
    ),
    "PickScore": ("kirstain2023pick",),
    "HPSv2": ("wu2023hpsv2",),
    "ImageReward": ("xu2023imagereward",),
}
OF_STATISTIC = {
    "auroc": ("delong1988auc",),
    "cohen_kappa": ("cohen1960kappa",),
    "weighted_kappa": ("cohen1968weighted",),
    "kendall_tau_b": ("kendall1938tau",),
    "kendall_tau_c": ("stuart1953tau",),
    "spearman": ("spearman1904",),
    "pairwise_accuracy_calibrated": ("deutsch2023ties",),
    "pairwise_accuracy_by_prompt_calibrated": ("deutsch2023ties",),
    "pairwise_accuracy_by_prompt_cross_validated": ("deutsch2023ties",),
    "soft_pairwise_accuracy": ("thompson2024soft",),
    "alt_test": ("calderon2025alt",),
    "trusted_share": ("jung2025trust",),
    "calibration_error": ("guo2017calibration",),
    "brier": ("brier1950",),
    "balanced_accuracy": ("brodersen2010balanced",),
    "matthews": ("matthews1975",),
    "average_precision": ("davis2006precision",),
    "equivalence": ("schuirmann1987",),
    "krippendorff_alpha": ("krippendorff2004",),
    "fleiss_kappa": ("fleiss1971",),
    "gwet_ac1": ("gwet2008",),
    "gwet_ac2": ("gwet2008",),
    "icc_2k": ("shrout1979",),
}
OWN = (
    "@software{jurybox,\n"
    "  author = {{The Jurybox authors}},\n"
    "  title = {{Jurybox: where people check the automated judges of text-to-image models}},\n"
    f"  version = {{{VERSION}}},\n"
    "  year = {2026}\n}\n"
)


def bibtex(body: Mapping[str, Any]) -> str:
    """Jurybox first, then each paper once: forms, judges, statistics that have a number. What a report
    used and no paper here stands for is named in a comment."""
    keys: dict[str, None] = {}
    unknown: dict[str, None] = {}
    signature = body["signature"]
    for form in signature["form"]:
        _owe(OF_FORM, str(form).partition(" ")[0], f"form {form}", keys, unknown)
    for name, facts in signature["judge_facts"].items():
        made = [str(facts.get(part, "")).partition(" ")[0] for part in ("method", "engine")]
        papers = [key for one in made for key in OF_JUDGE.get(one, ())]
        keys |= dict.fromkeys(papers)
        if not papers:
            unknown[f"judge {name}"] = None
    for statistic in _statistics(body):
        keys |= dict.fromkeys(OF_STATISTIC.get(statistic, ()))
    lines = [f"% No paper is known here for: {one}.\n" for one in map(_one_line, unknown)]
    return "\n".join([*lines, OWN, *(_entry(key) for key in keys)])


def _owe(
    papers: Mapping[str, tuple[str, ...]],
    name: str,
    words: str,
    keys: dict[str, None],
    unknown: dict[str, None],
) -> None:
    if name in papers:
        keys |= dict.fromkeys(papers[name])
    else:
        unknown[words] = None


def _statistics(body: Mapping[str, Any]) -> Iterator[str]:
    overall = [judge["overall"] for judge in body["judges"].values()]
    for part in (*overall, body["people"]):
        for name, value in part.items():
            if _has_number(value):
                yield name


def _has_number(value: Any) -> bool:
    """Some have one of several kinds: one that is defined is enough."""
    if isinstance(value, dict):
        return "undefined" not in value and any(map(_has_number, value.values()))
    return value is not None


def _entry(key: str) -> str:
    work = WORKS[key]
    fields = {
        "author": work.authors,
        # The second pair of braces keeps capitals.
        "title": f"{{{work.title}}}",
        "year": str(work.year),
        "howpublished": work.where,
    }
    if work.arxiv:
        fields |= {"eprint": work.arxiv, "archivePrefix": "arXiv"}
    inside = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
    return f"@misc{{{key},\n{inside}\n}}\n"


def _one_line(words: str) -> str:
    return " ".join(words.split())

"""T2I-CompBench's own rules in one place to import from; each has a file of its own."""

from jurybox_judging.methods.compbench.numeracy_method import Numeracy, numeracy
from jurybox_judging.methods.compbench.positions import position_2d, position_3d, spatial
from jurybox_judging.methods.compbench.spatial_methods import Spatial2D, Spatial3D
from jurybox_judging.methods.compbench.three_in_one_method import ThreeInOne, three_in_one

NAMES = {
    "compbench-2d": {"class": "Spatial2D", "parts": ("objects",)},
    "compbench-3d": {"class": "Spatial3D", "parts": ("objects", "depth")},
    "compbench-numeracy": {"class": "Numeracy", "parts": ("objects",)},
    "compbench-3-in-1": {"class": "ThreeInOne", "parts": ("objects", "answers", "similarity")},
}

__all__ = [
    "Numeracy",
    "Spatial2D",
    "Spatial3D",
    "ThreeInOne",
    "numeracy",
    "position_2d",
    "position_3d",
    "spatial",
    "three_in_one",
]

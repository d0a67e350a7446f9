"""T2I-CompBench's own rules, by one door; each lives in a file of its own."""

from judges.methods.compbench_numeracy import Numeracy, numeracy
from judges.methods.compbench_positions import position_2d, position_3d, spatial
from judges.methods.compbench_spatial import Spatial2D, Spatial3D
from judges.methods.compbench_three_in_one import ThreeInOne, three_in_one

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

"""Sets of edits that papers score models on: GEdit-Bench, ImgEdit, KRIS-Bench, RISEBench."""

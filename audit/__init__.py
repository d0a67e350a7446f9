import os

VERSION = "0.2.0"

# numpy reads this when it is first imported. Web and worker processes stand beside each other, and
# OpenBLAS's threads spin while they wait: a report would take nearly twice the processor time.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

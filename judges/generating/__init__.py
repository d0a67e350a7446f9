"""Making images: the only place that imports diffusers, in functions, and never at the start."""

"""Sets of prompts that model cards name today: read, matched with pictures, written again as they were."""

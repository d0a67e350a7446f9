"""Which of the two? What votes between two images of one prompt say about their generators.

fit         strengths by Bradley and Terry, with ties and the side's advantage
board       a contest as people read it: win shares, ranks, groups that cannot be distinguished
judged      what a judge's scores say about the same pairs, and how far that is from people
"""

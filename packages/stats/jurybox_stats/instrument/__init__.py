"""A judge read as an instrument: E[score of an image] = a + b q, where q is what people would answer to
it on average.

moments      sums for each prompt and generator: one pass over the images
sides        what two groups of generators are, with each prompt left out in turn
comparison   gain, offset and change of gain between two groups
gap          what moved the difference between people and the judge, in two parts
following    whether the judge puts images in people's order
stability    whether it reads newer generators as it read older ones
needs        how many more images would tell
"""

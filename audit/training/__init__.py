"""Images that a judge chooses for a generator to be trained on further, checked by people's answers."""

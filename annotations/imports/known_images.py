"""The rows of images and atoms that labels and scores name, looked up as they come."""

from __future__ import annotations

from annotations.database.among import among_lookup
from annotations.models import Atom, Image, Study
from jurybox_formats.sources.checks import sound

# So many images are remembered between batches.
REMEMBERED = 200_000


class KnownImages:
    def __init__(self, study: Study) -> None:
        self.study = study
        # Key of an image -> its row and its prompt's.
        self.images: dict[str, tuple[int, int]] = {}
        # Row of a prompt -> index of an atom -> the atom's row.
        self.atoms: dict[int, dict[int, int]] = {}

    def look_up(self, keys: set[str], keys_with_atoms: set[str]) -> None:
        """Those of one batch; `keys_with_atoms`: images of which an atom is named."""
        if len(self.images) > REMEMBERED:
            self.images.clear()
            self.atoms.clear()
        new = sound(keys - self.images.keys())
        if new:
            images = Image.objects.filter(among_lookup("key", new), study=self.study).order_by()
            for key, pk, prompt in images.values_list("key", "pk", "prompt_id"):
                self.images[key] = (pk, prompt)
        prompts = {self.images[key][1] for key in keys_with_atoms & self.images.keys()}
        prompts -= self.atoms.keys()
        if prompts:
            self.atoms.update((prompt, {}) for prompt in prompts)
            atoms = Atom.objects.filter(prompt__in=prompts).order_by()
            for prompt, index, pk in atoms.values_list("prompt_id", "index", "pk"):
                self.atoms[prompt][index] = pk

"""The papers' question forms, one file each, as plain data."""

from jurybox_formats.forms.papers import (
    checklist,
    edits,
    genai_likert,
    geneval2_atoms,
    geneval_audit,
    geneval_crowd,
    t2i_compbench,
    wise,
    written_text,
)

FORMS = {
    form.slug: form
    for form in [
        geneval_audit.FORM,
        geneval2_atoms.FORM,
        geneval_crowd.FORM,
        genai_likert.FORM,
        t2i_compbench.FORM,
        *t2i_compbench.CATEGORY_FORMS,
        checklist.FORM,
        written_text.FORM,
        wise.FORM,
        *edits.FORMS,
    ]
}
# Earlier versions of them, by their digests. Studies that began with one keep it.
EARLIER = {form.digest: form for form in (geneval2_atoms.FIRST, geneval_crowd.FIRST)}

// The questions of the label page ask for a person's settings there; practice has none.
window.jurybox.memory = { setting: () => false };

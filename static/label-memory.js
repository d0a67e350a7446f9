// What this browser remembers for a person: settings, and drafts of answers.

const { person } = document.getElementById("labelling").dataset;
const DRAFTS_KEPT = 50;

function recall(key, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(`jurybox.${key}`)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

function remember(key, value) {
  try {
    if (value === null) localStorage.removeItem(`jurybox.${key}`);
    else localStorage.setItem(`jurybox.${key}`, JSON.stringify(value));
  } catch {
    // Without storage answers are still sent, but cannot wait for a connection.
  }
}

const setting = (name) => recall(`setting.${name}`, false);

// ---- Drafts -------------------------------------------------------------------------------------
// A draft is a list of [field name, value], as a form sends them: several choices are several pairs.

const draftsKey = `drafts.${person}`;

function saveDraft(image, form, pairs) {
  const drafts = recall(draftsKey, {});
  delete drafts[`${image}/${form}`];
  drafts[`${image}/${form}`] = pairs;
  remember(draftsKey, Object.fromEntries(Object.entries(drafts).slice(-DRAFTS_KEPT)));
}

function draftOf(image, form) {
  const draft = recall(draftsKey, {})[`${image}/${form}`];
  return Array.isArray(draft) ? draft : null;
}

function dropDraft(image, form) {
  const drafts = recall(draftsKey, {});
  delete drafts[`${image}/${form}`];
  remember(draftsKey, drafts);
}

window.jurybox.memory = { recall, remember, setting, saveDraft, draftOf, dropDraft };

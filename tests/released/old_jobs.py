"""Rows of the job tables of 0.2.0, as SQL for both databases: what waited, what was in somebody's hands
and what was over when the release was left behind."""

STUDY = "(SELECT id FROM annotations_study WHERE slug = 'released')"
ALICE = "(SELECT id FROM auth_user WHERE username = 'alice')"
RUN = f"(SELECT id FROM judges_run WHERE study_id = {STUDY})"  # noqa: S608
DAY = "'2026-05-01 12:00:00+00:00'"
LEASED = f"'me', {DAY}, 2"
FREE = "'', NULL, 0"

CHECK = "holder, leased_until, tries, reason, judge, options, created_at, by_id, study_id"
ROWS = f"""
INSERT INTO annotations_anchorset (id, seed, "of", count, made_at, study_id)
VALUES (5, 0, 8, 2, {DAY}, {STUDY});
INSERT INTO judges_weightcheck ({CHECK}, id, state, finished_at, measure, parts) VALUES
({FREE}, '', 'clip-score', '{{"a": 1}}', {DAY}, {ALICE}, {STUDY}, 7, 'done', {DAY}, TRUE,
 '[{{"part": "x"}}]'),
({LEASED}, '', 'clip-score', '{{}}', {DAY}, NULL, {STUDY}, 8, 'working', NULL, FALSE, '[]');
INSERT INTO judges_selfcheck
({CHECK}, id, state, finished_at, count, seed, step, fingerprint, pairs, left_out) VALUES
({FREE}, '', 'j', '{{}}', {DAY}, {ALICE}, {STUDY}, 900, 'done', {DAY}, 60, 3, 7, 'abc',
 '[{{"before": 0.1}}]', '{{"mirror": {{"why": 2}}}}');
INSERT INTO judges_anchorscoring
({CHECK}, id, state, finished_at, done, scores, changed_pictures, run_id, anchors_id) VALUES
({FREE}, 'The engine was asleep.', 'j', '{{}}', {DAY}, NULL, {STUDY}, 3, 'refused', {DAY}, 1, '[]',
 '["late-0"]', {RUN}, 5);
INSERT INTO annotations_deletion
(holder, leased_until, tries, reason, id, slug, title, asked_at, state, asked_by_id, study_id)
VALUES ({FREE}, '', 3, 'gone', 'Gone', {DAY}, 'waiting', {ALICE}, {STUDY});
INSERT INTO audit_webhook (id, address, salt, since, last_report, study_id)
VALUES (4, 'https://example.org', 's', {DAY}, 0, {STUDY});
INSERT INTO audit_webhookmessage
(holder, leased_until, tries, reason, id, event, about, body, state, created_at, due_at, hook_id)
VALUES ({LEASED}, 'Busy.', 6, 'test', 'x', '{{"event": "test"}}', 'sending', {DAY}, {DAY}, 4);
INSERT INTO judges_delivery (holder, leased_until, tries, reason, id, key, by_id, study_id, state, typed, found,
 read, touched_at)
VALUES ({FREE}, '', 11, 'sent11', {ALICE}, {STUDY}, 'sent', '{{}}', '{{"kind": "labels"}}', 0, {DAY}),
({LEASED}, '', 12, 'look12', {ALICE}, NULL, 'working', '{{"name": "Cups"}}', '{{}}', 5, {DAY});
INSERT INTO judges_upload (holder, leased_until, tries, reason, study_id, by_id, choices, created_at, id, kind,
 format, name, file, delivery_id, generator, judge, dry_run, strict, key, state, read, expected, began_at,
 outcome, finished_at) VALUES
({FREE}, '', {STUDY}, {ALICE}, '{{}}', {DAY}, 21, 'labels', 'tidy', 'l.csv', '', 11, 'g', '', FALSE, TRUE,
 'k', 'waiting', 2, 40, {DAY}, '{{}}', NULL),
({FREE}, 'No images.', {STUDY}, NULL, '{{"folder": "x"}}', {DAY}, 22, 'study', 'table', 's.csv', '', NULL, '', '',
 TRUE, FALSE, 'm', 'refused', 3, NULL, NULL, '{{"images": 3}}', {DAY});
"""  # noqa: S608

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
"""  # noqa: S608

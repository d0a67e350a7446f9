SELECT
  (SELECT count(*) FROM judges_chunk JOIN judges_run ON judges_run.id = judges_chunk.run_id
    WHERE judges_run.state = 'running' AND judges_chunk.state IN ('waiting', 'leased'))
  + (SELECT count(*) FROM annotations_job WHERE state IN ('waiting', 'working')
    AND kind IN ('weight check', 'self-check', 'anchor scoring', 'card'))

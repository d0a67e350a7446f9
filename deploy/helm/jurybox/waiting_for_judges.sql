SELECT
  (SELECT count(*) FROM judges_chunk JOIN judges_run ON judges_run.id = judges_chunk.run_id
    WHERE judges_run.state = 'running' AND judges_chunk.state IN ('waiting', 'leased'))
  + (SELECT count(*) FROM judges_weightcheck WHERE state IN ('waiting', 'working'))
  + (SELECT count(*) FROM judges_selfcheck WHERE state IN ('waiting', 'working'))
  + (SELECT count(*) FROM judges_anchorscoring WHERE state IN ('waiting', 'working'))

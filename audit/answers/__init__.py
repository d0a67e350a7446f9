"""One question, one answer: how everything that is computed over a study is stored.

A *question* (`annotations.stored_answers.question.Question`) has a name, a dataclass of parameters, the
data that it reads, and `compute`, which returns a body. Each of the audit has a folder in
`audit/questions/`; pages, commands and the API read all of them in one way.

An *answer* is one row (`StoredAnswer`) for a study, a question and its parameters. The row holds the
newest body and its `stamp`; its job (`AnswerJob`), how far a worker is with the next one.

- The stamp names the versions of all that was read (`annotations.versions`), taken before reading. An
  answer whose stamp differs from the one of now is old, so it is requested again where something changed meanwhile.
- `read_answer` never holds a reader. Of a small study the page computes; of a large one it shows the old
  answer and requests a new one, but only when computing has rested nine times as long as it took.
- `request_answer` makes one job of it, however many ask. All that holds of jobs (`annotations.jobs`) holds
  of it: one that has lost its lease stores nothing, what failed five times waits for a person.
- A refusal is an answer, too: its sentence stays until the data change.
- The newest 40 of a question are kept for each study.

The rows stand in `annotations`, because its own pages count over all labels in the same way.
"""

"""What only `make test-all` runs, and what the quick set has instead: `python -m tests.nightly`."""

from __future__ import annotations

from collections import Counter

import pytest


class Listed:
    def __init__(self) -> None:
        self.found: Counter[tuple[str, str]] = Counter()

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in session.items:
            mark = item.get_closest_marker("nightly")
            assert mark is not None
            self.found[mark.args[0], item.nodeid.partition("[")[0]] += 1


def main() -> int:
    listed = Listed()
    status = pytest.main(["-m", "nightly", "--collect-only", "-qq"], plugins=[listed])
    before = None
    for (reason, name), count in sorted(listed.found.items()):
        if reason != before:
            print(f"\n{reason}")
        before = reason
        print(f"{count:>6}  {name}")
    print(f"\n{listed.found.total()} tests")
    return int(status)


if __name__ == "__main__":
    raise SystemExit(main())

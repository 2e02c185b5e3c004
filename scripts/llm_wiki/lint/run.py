"""One lint run over a root on disk: the last report if it still holds, else a new one.

Kept apart from the engine, so that a run over an unchanged root imports no rule.
"""

from __future__ import annotations

from datetime import date

from llm_wiki.core import clock
from llm_wiki.lint.memo import Memo, code_key
from llm_wiki.lint.options import Options
from llm_wiki.lint.report import Report
from llm_wiki.wiki.listing import look
from llm_wiki.wiki.parallel import Progress
from llm_wiki.wiki.resolve import Root


def run(
    root: Root,
    options: Options | None = None,
    *,
    today: date | None = None,
    progress: Progress | None = None,
) -> Report:
    """Lint a root without changing it; the same report as `engine.run`, which knows no memory.

    A hub is always judged anew: it depends on folders outside. Raises what `engine.run` raises.
    """
    options = (options or Options()).for_status(root.status)
    day = today or clock.today()
    if root.kind == "hub" or not options.use_cache:
        from llm_wiki.lint import engine

        return engine.run(root, options, today=day, progress=progress)
    listing = look(root.path, root.kind)
    memo = Memo(root, options, day, listing, code_key())
    known = memo.recall()
    if known is not None:
        return known
    from llm_wiki.lint import engine
    from llm_wiki.lint.options import select

    select(options.only, options.skip)
    snapshot = engine.load(root, options, progress=progress, listing=listing)
    report = engine.judge(snapshot, root, options, day)
    memo.keep(report, asked_disk=snapshot.asked_disk)
    return report

"""The loop of the desk at a terminal: one proposal, one key (`review.md` §3)."""

from __future__ import annotations

from typing import Any

import click

from llm_wiki.core.errors import WikiError

_KEYS = "y yes · n no · e edit · t topic · l later · s skip this kind · q quit"


def loop(folder: Any, found: list[Any]) -> str:
    """Ask for each proposal; return what was decided, in one line."""
    from llm_wiki.desk.shown import list_text

    click.echo(list_text(found))
    desk = _Desk(folder)
    for number, proposal in enumerate(found, 1):
        if proposal.kind not in desk.skipped and not desk.ask(proposal, f"{number}/{len(found)}"):
            break
    return desk.told()


class _Desk:
    """One sitting: what was decided, which kinds are skipped, and the topic named last."""

    def __init__(self, folder: Any) -> None:
        self.folder = folder
        self.counts = {"yes": 0, "no": 0, "edit": 0, "later": 0}
        self.skipped: set[str] = set()
        self.topic = ""

    def ask(self, proposal: Any, place: str) -> bool:
        """Show one proposal until a key settles it; tell whether the sitting goes on."""
        while True:
            key = self._key(proposal, place)
            if key == "q":
                return False
            if key == "s":
                self.skipped.add(proposal.kind)
                return True
            if key == "l":
                self.counts["later"] += 1
                return True
            verdict = {"y": "yes", "n": "no", "e": "edit"}.get(key)
            if verdict and self._decided(proposal.id, verdict) and verdict != "edit":
                return True

    def _key(self, proposal: Any, place: str) -> str:
        """Show a proposal with its plan and return the key that was typed; a yes asks for its topic first."""
        from llm_wiki.desk.deciding import find
        from llm_wiki.desk.shown import as_text

        source, current = find(self.folder, proposal.id)
        plan = self._plan(source, current.id)
        click.echo(f"\n[{place}] {as_text(current, plan, source.details(current.id))}\n")
        key = click.prompt(_KEYS, prompt_suffix=" > ", default="l", show_default=False).strip().lower()[:1]
        if key == "y" and not plan.complete and self.folder.local:
            return ""  # no topic mends what was said of the wiki here
        if key == "t" or (key == "y" and not plan.complete):
            self.topic = click.prompt("Topic", default=self.topic or None).strip()
            return ""  # what a yes would do is shown before it is given
        return str(key)

    def _plan(self, source: Any, name: str) -> Any:
        """Return what a yes would do; a topic that cannot take it is said, and asked for anew."""
        from llm_wiki.desk.proposal import Choice, Planned

        try:
            return source.plan(name, Choice(topic=self.topic))
        except WikiError as error:
            _say(error)
        if not self.topic:
            needs = "a wiki here" if self.folder.local else "--topic SLUG"
            return Planned("", (), "", complete=False, needs=needs)
        self.topic = ""
        return self._plan(source, name)

    def _decided(self, name: str, verdict: str) -> bool:
        """Decide one proposal; tell whether it went through, and say why not."""
        from llm_wiki.desk.deciding import decide
        from llm_wiki.desk.proposal import Choice
        from llm_wiki.desk.shown import decided_text

        choice = Choice(topic=self.topic, via="terminal")
        if verdict == "no":
            choice = choice._replace(reason=click.prompt("Why not", default="", show_default=False))
        if verdict == "edit":
            choice = choice._replace(edited=click.prompt("New words"))
        try:
            for done in decide(self.folder, (name,), verdict, choice):
                click.echo(decided_text(done))
        except WikiError as error:
            _say(error)
            return False
        self.counts[verdict] += 1
        return True

    def told(self) -> str:
        """Return what was decided, in one line."""
        parts = [f"{many} {word}" for word, many in self.counts.items() if many]
        return "Decided: " + (", ".join(parts) if parts else "nothing")


def _say(error: WikiError) -> None:
    click.echo(error.message + (f"\n  {error.remedy}" if error.remedy else ""))

"""A conversation as `weft chat` holds it: its commands, its answers, and how they are shown."""

from __future__ import annotations

import asyncio
import secrets
import sys
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from weft.cli.answers import as_json as answer_json
from weft.cli.answers import citations, remember
from weft.cli.ask import cited
from weft.cli.auditing.acting import acting
from weft.cli.invocation import json_text
from weft.cli.rendering import (
    brief,
    headline,
    print_citations,
    print_more,
    refusal_of,
    sentence_lines,
)
from weft.cli.screen import screen
from weft.cli.terminal.opened import print_place
from weft.cli.terminal.texts import noted
from weft.cli.terminal.texts import said as text_of
from weft.domain.answer import Answer, Citation
from weft.domain.display import on_one_line
from weft.domain.errors import BadInput, WeftError
from weft.domain.event import EventType, RunEvent
from weft.domain.frozen import dataclass
from weft.domain.ids import RunId
from weft.domain.scope import Scope

if TYPE_CHECKING:
    from weft.bootstrap.app import App
    from weft.flows.running import FlowRunner
    from weft.ports.records.conversations import ConversationId
    from weft.ports.records.sessions import SessionId
    from weft.runtime.live_runs import Feed, LiveRuns

_HELP = """/sources     the passages that the last answer cites
/more        what else was found for it
/meaning N   the answer to it as it may have been meant
/open N      the N-th of them in its document
/history     what was said
/new         begin another conversation
/clear       erase all conversations of this session, with their runs
/quit        end"""


class Prompt:
    """Where a conversation is shown: a terminal, a pipe, or lines of JSON."""

    def __init__(self, *, as_json: bool) -> None:
        """Take whether answers are JSON."""
        self.is_json = as_json
        self.console = screen()

    def answered(self, answer: Answer, question: str) -> None:
        """Show an answer: how the question was understood, the sentences, the sources in a line."""
        if self.is_json:
            sys.stdout.write(json_text(answer_json(answer)) + "\n")
            sys.stdout.flush()
            return
        if answer.rewritten_question:
            self.dim(f"→ {answer.rewritten_question}")
        for line in sentence_lines(answer, question):
            self.console.print(line)
        if answer.refused:
            self._refused(answer, question)
        else:
            self._cited(citations(answer))
        if answer.more:
            self.dim(text_of("more_command", question, count=len(answer.more)))
        for note in answer.notes:
            self.dim(noted(note))

    def _refused(self, answer: Answer, question: str) -> None:
        """Show why there is no answer, the nearest as what they are, and what may be meant."""
        reason, heading = refusal_of(answer)
        self.console.print(Text(reason, style="yellow"))
        if heading:
            self.console.print(Text(heading, style="bold"))
        for one in answer.nearest:
            self.console.print(Text(brief(one)).append(f" [{one.n}]", style="bold cyan"))
        self._cited(answer.nearest)
        if answer.meanings:
            self.console.print(Text(text_of("meanings", question), style="bold"))
            for n, each in enumerate(answer.meanings, 1):
                self.console.print(Text(f"{n}. {on_one_line(each.text)}"))
            self.dim(text_of("meaning_command", question))

    def _cited(self, cited: Sequence[Citation]) -> None:
        for one in cited:
            self.console.print(headline(one, here=Path.cwd()))

    def refused(self, error: WeftError) -> None:
        """Tell of an error on the stream where answers go."""
        if self.is_json:
            told = {"error": {"code": error.code, "message": error.message}}
            sys.stdout.write(json_text(told) + "\n")
            sys.stdout.flush()
        else:
            self.console.print(Text(error.message, style="red"))

    def dim(self, words: str) -> None:
        """Print words beside the matter."""
        self.console.print(Text(words, style="dim"))


@dataclass(slots=True, kw_only=True)
class Chat:
    """A conversation under way; a new one or a cleared one gets another id."""

    app: App
    flows: FlowRunner
    live: LiveRuns
    scope: Scope
    bases: Sequence[str]
    session: SessionId
    conversation: ConversationId
    last: Answer | None = field(default=None)
    asked: str = ""

    async def take(self, said: str, prompt: Prompt) -> None:
        """Do a command, or answer a question."""
        if not said.startswith("/"):
            await self._answer(said, prompt)
            return
        command, _, argument = said.partition(" ")
        ways = {
            "/help": self._help,
            "/sources": self._sources,
            "/more": self._more,
            "/meaning": self._meaning,
            "/open": self._open,
            "/history": self._history,
            "/new": self._new,
            "/clear": self._clear,
        }
        if command not in ways:
            raise BadInput(f"There is no command {command}; /help lists them.")
        await ways[command](prompt, argument.strip())

    async def _answer(self, said: str, prompt: Prompt, *, meaning: str = "") -> None:
        from weft.flows.asking import Asking
        from weft.flows.conversation import Saying, converse

        run_id = RunId(secrets.token_hex(8))
        asking = Asking(
            question=said, knowledge_bases=tuple(self.bases), run_id=run_id, meaning=meaning
        )
        saying = Saying(asking=asking, conversation_id=self.conversation)
        conversations = self.app.records.conversations
        with self.live.watching(run_id) as feed:
            labels = self.flows.catalog.labels()
            showing = asyncio.create_task(_show_steps(feed, prompt, labels))
            try:
                outcome = await converse(self.flows, conversations, self.scope, saying=saying)
            finally:
                showing.cancel()
                await asyncio.wait({showing})
        answer = self.last = outcome.answer
        self.asked = said
        remember(self.app.settings.home, answer)
        prompt.answered(answer, said)

    async def _help(self, prompt: Prompt, _: str) -> None:
        prompt.console.print(_HELP, markup=False)

    async def _sources(self, prompt: Prompt, _: str) -> None:
        if self.last is None or not citations(self.last):
            raise BadInput("The last answer cites nothing.")
        print_citations(prompt.console, citations(self.last))

    async def _more(self, prompt: Prompt, _: str) -> None:
        if self.last is None or not self.last.more:
            raise BadInput("Nothing more was found beside the last answer.")
        print_more(prompt.console, self.last, question=self.asked)

    async def _meaning(self, prompt: Prompt, argument: str) -> None:
        if self.last is None or not self.last.meanings:
            raise BadInput("The last answer offers nothing that the question may mean.")
        there = {str(n): one for n, one in enumerate(self.last.meanings, 1)}
        if argument not in there:
            raise BadInput(f"Write /meaning N with a number from 1 to {len(there)}.")
        question = self.last.rewritten_question or self.asked
        await self._answer(question, prompt, meaning=there[argument].id)

    async def _open(self, prompt: Prompt, argument: str) -> None:
        if self.last is None or not argument.isdecimal():
            raise BadInput("Write /open N with the number of a citation of the last answer.")
        print_place(prompt.console, await cited(self.app, int(argument)))

    async def _history(self, prompt: Prompt, _: str) -> None:
        from weft.flows.conversation import readable_history

        async with acting(
            self.app, "conversation.read", target=f"conversation:{self.conversation}"
        ):
            said = await self.app.records.conversations.history(self.scope, self.conversation)
        bases = await self.flows.bases(self.scope, tuple(self.bases))
        for one in await readable_history(bases, self.scope, said):
            words = "(its source was deleted)" if one.source_deleted else one.content
            prompt.console.print(Text(f"{one.role}: ", style="bold").append(words, style="none"))

    async def _new(self, prompt: Prompt, _: str) -> None:
        async with acting(self.app, "conversation.create", target="conversation:new"):
            begun = await self.app.records.conversations.begin(self.scope, self.session)
        self.conversation, self.last = begun.id, None
        prompt.dim("A new conversation.")

    async def _clear(self, prompt: Prompt, _: str) -> None:
        async with acting(self.app, "conversation.delete", target="conversation:-"):
            cleared = await self.app.records.conversations.clear(self.scope, [self.session])
        await self._new(prompt, "")
        prompt.dim(f"Erased: {cleared.messages} messages, {cleared.runs} runs.")


async def _show_steps(feed: Feed, prompt: Prompt, labels: Mapping[str, str]) -> None:
    """Show what is being done as long as it lasts; only on a terminal."""
    if prompt.is_json or not prompt.console.is_terminal:
        return
    with prompt.console.status("…") as status:
        while True:
            event = await feed.get()
            if label := _label(event, labels):
                status.update(label)


def _label(event: RunEvent, labels: Mapping[str, str]) -> str:
    if event.type is EventType.NODE_STARTED:
        return labels.get(event.node.rpartition("/")[2], "")
    if event.type is EventType.TOOL_REQUESTED:
        return f"calling {event.data.get('tool', 'a tool')}"
    if event.type is EventType.EVIDENCE_FOUND:
        found = event.data.get("evidence")
        return f"{len(found)} passages found" if isinstance(found, list | tuple) else ""
    return ""

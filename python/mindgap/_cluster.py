"""Draws shared with other processes: ``executor=`` of decide, diagnose, voi, compare and reproduce.

A call comes to *stages*, one after the other: so many sampled models, trials or designs, whose numbers depend on
the inputs and on their own number alone. The process that calls hands out pieces of a stage. A worker makes the same
call once, in a thread of its own (a :class:`_Replica`), which waits at each stage: it computes the pieces that are asked
for, and goes on to the next stage with the numbers of the last one, which it is sent once. So a piece is a few numbers,
and whoever computes it, in whatever order and however often, the result has the same bits.
"""

from __future__ import annotations

import math
import os
import pickle
import queue
import socket
import threading
import time
import uuid
import warnings
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from dataclasses import dataclass, field
from typing import Any, Protocol

from . import _core
from .errors import Error, InvalidArgument

#: Seconds that a piece should take: long against what sending it costs, short against a stage.
_SECONDS = 1.0
#: The same where every piece is a job of its own, in a process that has yet to start (submitit).
_JOB_SECONDS = 60.0
#: A piece is sent so often before its failure ends the call.
_TRIES = 3
#: Bytes up to which inputs and earlier numbers are sent with every piece instead of on demand.
_SMALL = 16_384

#: Arguments that are never the path of a file.
_NO_PATHS = frozenset(
    {"plans", "planners", "objective", "device", "states", "reference", "name", "worlds", "about", "data"}
)

Here = Callable[[int, int], bytes]
Take = Callable[[int, int, bytes], bool]
Digest = Callable[[int, int, bytes], bytes]


class Workers(Protocol):
    """Who shares the draws of a call, as the library asks for them."""

    def begin(self, inputs: str) -> None: ...

    def run(
        self, name: str, first: int, last: int, grain: int, here: Here, take: Take, digest: Digest | None
    ) -> None: ...


@dataclass(frozen=True)
class _Task:
    """A piece, as it is sent."""

    call: str  #: a name for this very call
    version: str
    inputs: str  #: fingerprint of what the call was given
    stage: int
    name: str
    bounds: tuple[int, int]  #: of the stage
    first: int
    last: int
    made: bytes | None  #: the call itself, where it is sent with it
    earlier: Mapping[int, tuple[int, int, bytes]]  #: numbers of earlier stages, where they are sent with it


@dataclass(frozen=True)
class _Reply:
    worker: str
    seconds: float = 0.0  #: that computing took
    numbers: bytes | None = None  #: none: something is missing
    wants_call: bool = False
    wants_stages: tuple[int, ...] = ()


class _Left(BaseException):
    """Ends a replica's call."""


class _Replica:
    """The same call in a worker: it waits at each stage for pieces to compute."""

    def __init__(self, made: bytes, inputs: str) -> None:
        name, arguments = pickle.loads(made)
        self._function = _functions()[name]
        self._arguments = arguments
        self._inputs = inputs
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[tuple[float, bytes] | BaseException] = queue.SimpleQueue()
        self._again: _Task | None = None
        self.stage = 0  #: that it waits at, or comes to next
        self.earlier: dict[int, tuple[int, int, bytes]] = {}
        self._ended: BaseException | None = None
        self._thread = threading.Thread(target=self._live, name="mindgap worker", daemon=True)
        self._thread.start()

    def compute(self, task: _Task) -> tuple[float, bytes]:
        """Seconds that it took, without those of coming to the stage, and numbers."""
        if self._ended is not None:
            raise self._ended
        self._tasks.put(task)
        answer = self._answers.get()
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def leave(self) -> None:
        self._tasks.put(None)
        self._thread.join(timeout=60)

    def _live(self) -> None:
        _here.replica = self
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # whoever called hears them
                self._function(**self._arguments)
            raise InvalidArgument("a worker came to the end of the call before the one who made it: its inputs differ")
        except _Left:
            pass
        except BaseException as error:
            self._ended = error
            self._answers.put(error)

    # What the library asks, in the replica's thread.

    def begin(self, inputs: str) -> None:
        if inputs != self._inputs:
            raise InvalidArgument(
                f"a worker on {socket.gethostname()} was given other inputs: the fingerprint of model, tables and "
                f"options is {inputs} there and {self._inputs} here; is a file different there?"
            )

    def run(
        self, name: str, first: int, last: int, grain: int, here: Here, take: Take, digest: Digest | None
    ) -> None:
        while True:
            task = self._next()
            if task.stage != self.stage:
                break
            if (task.name, task.bounds) != (name, (first, last)):
                raise InvalidArgument(
                    f"a worker on {socket.gethostname()} came to {name} {first} to {last}, not to {task.name} "
                    f"{task.bounds[0]} to {task.bounds[1]}: its inputs differ"
                )
            started = time.perf_counter()
            numbers = here(task.first, task.last)
            self._answers.put((time.perf_counter() - started, numbers))
        self._again = task
        begin, end, earlier = self.earlier.pop(self.stage)
        self.stage += 1
        if end > begin:
            take(begin, end, earlier)

    def _next(self) -> _Task:
        task, self._again = self._again, None
        while task is None:
            try:
                task = self._tasks.get(timeout=0.5)
            except queue.Empty:
                if _core.program_ends():
                    raise _Left() from None
                continue
            if task is None:
                raise _Left()
        return task


class _Here(threading.local):
    """Of each thread: the replica that it is, and those that it keeps."""

    replica: _Replica | None = None
    kept: dict[str, _Replica]


_here = _Here()


def work(task: _Task) -> _Reply:
    """Computes a piece; what an executor calls in a worker."""
    who = f"{socket.gethostname()}:{os.getpid()}:{threading.get_ident()}"
    if task.version != _core.VERSION:
        raise InvalidArgument(
            f"a worker on {socket.gethostname()} has mindgap {_core.VERSION}, but this is {task.version}: all "
            "workers need the same version"
        )
    kept: dict[str, _Replica] = _here.__dict__.setdefault("kept", {})
    replica = kept.get(task.call)
    if replica is None:
        if task.made is None:
            return _Reply(who, wants_call=True)
        for other in kept.values():
            other.leave()
        kept.clear()
        replica = kept[task.call] = _Replica(task.made, task.inputs)
    replica.earlier.update({n: numbers for n, numbers in task.earlier.items() if n >= replica.stage})
    missing = tuple(n for n in range(replica.stage, task.stage) if n not in replica.earlier)
    if missing:
        return _Reply(who, wants_stages=missing)
    seconds, numbers = replica.compute(task)
    return _Reply(who, seconds, numbers)


@dataclass
class _Piece:
    first: int
    last: int
    tries: int = 0
    with_call: bool = False
    with_stages: tuple[int, ...] = ()


@dataclass
class _Stage:
    """One stage at whoever calls."""

    number: int
    name: str
    first: int
    last: int
    grain: int
    next: int  #: the first draw that nobody was asked for
    open: deque[_Piece] = field(default_factory=deque)  #: to be sent (again)
    out: dict[Future[_Reply], _Piece] = field(default_factory=dict)
    back: dict[int, tuple[int, bytes]] = field(default_factory=dict)  #: by first draw


class _Coordinator:
    """Whoever calls: hands out pieces, and takes them in order."""

    def __init__(self, executor: Executor, name: str, arguments: dict[str, Any]) -> None:
        self._executor: Executor | None = executor
        self._call = uuid.uuid4().hex
        self._made = _pickled(name, arguments)
        self._inputs = ""
        self._stages = 0
        self._earlier: dict[int, tuple[int, int, bytes]] = {}
        self._seen: set[str] = set()
        self._rate: dict[str, float] = {}  # draws a second of one worker, by the stage's name
        most = getattr(executor, "_max_workers", None) or getattr(executor, "_num_workers", None)
        self._window = 2 * (most if isinstance(most, int) else os.cpu_count() or 1)
        self._done: queue.SimpleQueue[Future[_Reply]] = queue.SimpleQueue()
        self._in_jobs = False  # each piece is one, in a process that has yet to start
        self._jobs: list[Any] = []  # futures that do not say when they are done

    def begin(self, inputs: str) -> None:
        self._inputs = inputs

    def run(
        self, name: str, first: int, last: int, grain: int, here: Here, take: Take, digest: Digest | None
    ) -> None:
        stage = _Stage(self._stages, name, first, last, grain, first)
        self._stages += 1
        digests = []
        at = first
        try:
            while at < last:
                self._send(stage)
                if not stage.out:  # nobody takes pieces any more
                    self._do_here(stage, here)
                elif at not in stage.back:
                    self._wait(stage)
                while at in stage.back:
                    begin = at
                    at, numbers = stage.back.pop(at)
                    more = take(begin, at, numbers)
                    digests.append(digest(begin, at, numbers) if digest else numbers)
                    if not more:
                        return
        finally:
            for future in stage.out:
                future.cancel()
            self._earlier[stage.number] = (first, at, b"".join(digests))

    def _size(self, stage: _Stage) -> int:
        """Draws of the next piece: a second of work, but no more than leaves some for everybody to the end. Jobs are
        few: as many as run at a time, unless they would take long."""
        if self._in_jobs:
            share = (stage.last - stage.first) / self._window
            most = self._rate.get(stage.name, math.inf) * _JOB_SECONDS
            return math.ceil(min(share, max(most, stage.grain)) / stage.grain) * stage.grain
        rate = self._rate.get(stage.name, 0.0)
        fair = (stage.last - stage.next) / (2 * max(1, len(self._seen)))
        grains = int(min(rate * _SECONDS, fair) / stage.grain)
        return max(1, grains) * stage.grain

    def _send(self, stage: _Stage) -> None:
        while self._executor is not None and len(stage.out) < self._window:
            if stage.open:
                piece = stage.open.popleft()
            elif stage.next < stage.last:
                piece = _Piece(stage.next, min(stage.next + self._size(stage), stage.last))
                stage.next = piece.last
            else:
                return
            try:
                future = self._executor.submit(work, self._task(stage, piece))
            except (BrokenExecutor, RuntimeError) as error:  # broken, or shut down
                stage.open.append(piece)
                self._give_up(error)
                return
            stage.out[future] = piece
            if hasattr(future, "add_done_callback"):
                future.add_done_callback(self._done.put)
            else:
                self._jobs.append(future)
                self._in_jobs = True

    def _task(self, stage: _Stage, piece: _Piece) -> _Task:
        everything = piece.with_call or self._in_jobs  # a job knows nothing yet
        made = self._made if everything or len(self._made) <= _SMALL else None
        small = sum(len(numbers) for _, _, numbers in self._earlier.values()) <= _SMALL
        wanted = self._earlier if small or everything else piece.with_stages
        earlier = {n: self._earlier[n] for n in wanted}
        bounds = (stage.first, stage.last)
        return _Task(
            self._call,
            _core.VERSION,
            self._inputs,
            stage.number,
            stage.name,
            bounds,
            piece.first,
            piece.last,
            made,
            earlier,
        )

    def _wait(self, stage: _Stage) -> None:
        while True:
            try:
                future = self._done.get(timeout=0.2)  # so that Ctrl-C comes through
            except queue.Empty:
                self._look_at_jobs()
                continue
            piece = stage.out.pop(future, None)
            if piece is not None:  # else of an earlier stage that had enough
                break
        try:
            reply = future.result()
        except Error:
            raise  # it would be the same everywhere
        except (Exception, CancelledError) as error:
            self._try_again(stage, piece, error)
            return
        if reply.numbers is None:
            piece.with_call = piece.with_call or reply.wants_call
            piece.with_stages = (*piece.with_stages, *reply.wants_stages)
            stage.open.append(piece)
            return
        speed = (piece.last - piece.first) / max(reply.seconds, 1e-6)
        known = self._rate.get(stage.name)
        self._rate[stage.name] = speed if known is None else 0.5 * (known + speed)
        if reply.worker in self._seen and not self._in_jobs:
            self._window = max(self._window, min(self._window + 1, 3 * len(self._seen) + 2))
        self._seen.add(reply.worker)
        stage.back[piece.first] = (piece.last, reply.numbers)

    def _look_at_jobs(self) -> None:
        for job in [job for job in self._jobs if job.done()]:
            self._jobs.remove(job)
            self._done.put(job)

    def _try_again(self, stage: _Stage, piece: _Piece, error: BaseException) -> None:
        piece.tries += 1
        if isinstance(error, BrokenExecutor):
            self._give_up(error)
        elif piece.tries >= _TRIES:
            raise error
        piece.with_call = True
        stage.open.append(piece)

    def _give_up(self, error: BaseException) -> None:
        if self._executor is not None:
            warnings.warn(
                f"the executor takes no more work ({error or type(error).__name__}): "
                "the rest is computed in this process",
                RuntimeWarning,
                stacklevel=2,
            )
        self._executor = None

    def _do_here(self, stage: _Stage, here: Here) -> None:
        if stage.open:
            piece = stage.open.popleft()
        else:
            size = max(stage.grain, stage.grain * round(16 / stage.grain))
            piece = _Piece(stage.next, min(stage.next + size, stage.last))
            stage.next = piece.last
        stage.back[piece.first] = (piece.last, here(piece.first, piece.last))


def _functions() -> dict[str, Callable[..., Any]]:
    from ._compare import compare
    from ._decide import decide
    from ._diagnose import diagnose
    from ._reproduce import reproduce
    from ._voi import voi

    return {function.__name__: function for function in (compare, decide, diagnose, reproduce, voi)}


def _elsewhere(key: str, value: Any) -> Any:
    """An argument as another process, in another folder, takes it."""
    if isinstance(value, os.PathLike):
        return os.path.abspath(value)
    if not isinstance(value, str) or key in _NO_PATHS or not os.path.exists(value):
        return value
    if key == "case" and value in {name for name, _, _ in _core.cases()}:
        return value
    return os.path.abspath(value)


def _pickled(name: str, arguments: dict[str, Any]) -> bytes:
    try:
        # Takes functions of a notebook, too.
        from cloudpickle import dumps  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        from pickle import dumps
    sent = {key: _elsewhere(key, value) for key, value in arguments.items()}
    try:
        found: bytes = dumps((name, sent))
    except Exception as error:
        raise InvalidArgument(
            f"executor: what {name} was given cannot be sent to other processes: {error}; functions and classes of "
            "your own must be in a module that workers can import, or the package cloudpickle be installed"
        ) from error
    return found


class _PoolExecutor(Executor):
    """A pool of ``multiprocessing``'s kind, as Ray has one."""

    def __init__(self, pool: Any) -> None:
        self._pool = pool

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **more: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        self._pool.apply_async(
            function, arguments, more, callback=future.set_result, error_callback=future.set_exception
        )
        return future


def workers_of(executor: Executor | None, name: str, given: Mapping[str, Any]) -> Workers | None:
    """Who shares the draws of a call of ours: nobody without an executor. ``given`` are its arguments."""
    if executor is None:
        return _here.replica
    if not callable(getattr(executor, "submit", None)) and callable(getattr(executor, "apply_async", None)):
        executor = _PoolExecutor(executor)
    if not callable(getattr(executor, "submit", None)):
        raise InvalidArgument(
            "executor must be a concurrent.futures.Executor (ProcessPoolExecutor, Dask's client.get_executor(), "
            f"mpi4py.futures.MPIPoolExecutor, ...), but is {executor!r}"
        )
    arguments = {key: value for key, value in given.items() if key not in ("executor", "progress", "options")}
    arguments |= given.get("options", {})
    arguments["progress"] = False
    arguments["threads"] = given.get("threads") or 1
    return _Coordinator(executor, name, arguments)

"""The network run by ONNX Runtime."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt
import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state as failures

from weft.adapters.onnx.reader_weights import Teaching
from weft.adapters.onnx.tensors import Array
from weft.adapters.onnx.weights import TENSORS, ModelWeights
from weft.domain.errors import ModelUnavailable, WeightsMissing
from weft.domain.ids import digest

_GRAPH_VERSION = "2"
_FAILED = (
    failures.Fail,
    failures.InvalidArgument,
    failures.InvalidGraph,
    failures.InvalidProtobuf,
    failures.NoSuchFile,
    failures.RuntimeException,
)
_ONLY_ERRORS = 3
# What a sound network gives for tokens from all over its vocabulary: the first numbers of the mean
# of their states. Another processor's differ by a millionth; a graph whose constants were damaged
# where they lie, at their full length, gives others.
_PROOF_IDS = np.linspace(0, 30521, 64).astype(np.int64)
_PROOF = np.array(
    [-0.0172, -0.0198, 0.0255, 0.0511, -0.2115, -0.0512, -0.0135, -0.2115, -0.0025, -0.0283]
)
_PROOF_OFF = 0.001


class OnnxNetwork:
    """One session that several threads may run at once, each pass on the thread that asks.

    Two passes on two threads are faster than one pass split over two, and give the same bits.
    """

    variant = "onnx-fp32"
    lanes = 2
    note = ""

    def __init__(self, lower: Path, upper: Path) -> None:
        """Load the graphs of its halves; raises `ModelUnavailable` when one is not sound."""
        self._lower = _session(lower)
        self._upper = _session(upper)

    def prepare(self) -> None:
        """Do nothing: the graphs are loaded."""

    def lower(self, ids: npt.NDArray[np.int64]) -> Array:
        """Return float32[n, 384], the state of each of the n tokens after the lower layers."""
        return _passed(self._lower, input_ids=ids)

    def states(self, ids: npt.NDArray[np.int64]) -> Array:
        """Return float32[n, 384], the last layer's state of each of the n tokens."""
        return _passed(self._upper, lower=self.lower(ids))


def _passed(session: onnxruntime.InferenceSession, **given: npt.NDArray[Any]) -> Array:
    """Return what a graph gives for one text; raises `ModelUnavailable` where it fails."""
    texts = {name: value[np.newaxis] for name, value in given.items()}
    try:
        found: Array = session.run(None, texts)[0][0]
    except _FAILED as error:
        raise ModelUnavailable("The local model failed") from error
    return found


class LateNetwork:
    """The network of graphs that were built before, opened at its first pass or when prepared."""

    variant, lanes, note = OnnxNetwork.variant, OnnxNetwork.lanes, OnnxNetwork.note

    def __init__(self, weights: ModelWeights, cache_dir: Path) -> None:
        """Take what `open_network` takes."""
        self._weights = weights
        self._cache_dir = cache_dir
        self._opening = Lock()
        self._opened: OnnxNetwork | None = None

    def lower(self, ids: npt.NDArray[np.int64]) -> Array:
        """Return what the network does; raises `ModelUnavailable` where it cannot be opened."""
        return self._open().lower(ids)

    def states(self, ids: npt.NDArray[np.int64]) -> Array:
        """Return what the network does; raises `ModelUnavailable` where it cannot be opened."""
        return self._open().states(ids)

    def prepare(self) -> None:
        """Open the network; what fails is met again by the first pass, which tells of it."""
        with suppress(ModelUnavailable):
            self._open()

    def _open(self) -> OnnxNetwork:
        with self._opening:
            if self._opened is None:
                try:
                    self._opened = open_network(self._weights, self._cache_dir)
                except (ImportError, OSError, WeightsMissing) as error:
                    raise ModelUnavailable(
                        f"The built model in {self._cache_dir} is damaged and could not be built "
                        f"anew"
                    ) from error
            return self._opened


class ReaderNetwork:
    """What reads on, of a question and a text together; several threads may run it."""

    def __init__(self, path: Path) -> None:
        """Load the graph at `path`; raises `ModelUnavailable` when it is not a sound graph."""
        self._session = _session(path)

    def scores(self, question: Array, text: Array) -> Array:
        """Return float32[2] for what the lower layers give of both, float32[n, 384] each."""
        found: Array = _passed(self._session, question=question, text=text)[0]
        if not np.isfinite(found).all():
            raise ModelUnavailable("The local reading model is damaged")
        return found


def _session(path: Path) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = _ONLY_ERRORS
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except _FAILED as error:
        raise ModelUnavailable(f"{path} is not a usable graph") from error


def _proved(network: OnnxNetwork, cache_dir: Path) -> OnnxNetwork:
    """Return a network that gives what it should; raises `ModelUnavailable` for another."""
    given = network.states(_PROOF_IDS).mean(axis=0)[: len(_PROOF)]
    if not np.abs(given - _PROOF).max() < _PROOF_OFF:  # nor where it is no number
        raise ModelUnavailable(f"The built model in {cache_dir} is damaged")
    return network


def reader_path(cache_dir: Path, of: Teaching) -> Path:
    """Return where the built graph of a reader lies; the name changes with what it was taught."""
    return cache_dir / f"minilm-reader-{digest(TENSORS.sha256, _GRAPH_VERSION, of.name)[:12]}.onnx"


def graph_paths(cache_dir: Path) -> tuple[Path, Path]:
    """Return where the built halves lie, the lower one first.

    The names change with the weights and the builder.
    """
    version = digest(TENSORS.sha256, _GRAPH_VERSION)[:12]
    return (
        cache_dir / f"minilm-l6-v2-lower-{version}.onnx",
        cache_dir / f"minilm-l6-v2-upper-{version}.onnx",
    )


def is_built(cache_dir: Path) -> bool:
    """Return whether both halves lie in the cache."""
    return all(path.exists() for path in graph_paths(cache_dir))


def open_network(weights: ModelWeights, cache_dir: Path) -> OnnxNetwork:
    """Load the graphs from the cache; build them first when one is missing or damaged.

    Raises `ModelUnavailable` or `WeightsMissing`, `ImportError` when it must be built and `onnx`
    is not there, `OSError` when the cache cannot be written.
    """
    lower, upper = graph_paths(cache_dir)
    if is_built(cache_dir):
        try:
            return _proved(OnnxNetwork(lower, upper), cache_dir)
        except ModelUnavailable:
            for path in (lower, upper):
                path.unlink(missing_ok=True)
    # Only here, because it takes 0.2 s to import and is needed once.
    from weft.adapters.onnx.graph import lower_model, upper_model, write_graphs

    write_graphs(weights, {lower: lower_model, upper: upper_model})
    return OnnxNetwork(lower, upper)

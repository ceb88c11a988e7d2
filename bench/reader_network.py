"""The reader's network in JAX, texts one behind another without padding.

JAX is needed for learning alone and is no dependency of Weft: `pip install jax safetensors`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from weft.adapters.onnx.reader_weights import MARKS, SCORE
from weft.adapters.onnx.tensors import EPSILON, HEADS, LAYERS, LOWER_LAYERS, WIDTH

_DENSE = ("attention.output.dense", "intermediate.dense", "output.dense")
_NORMS = ("attention.output.LayerNorm", "output.LayerNorm")
_ASKED = ("query", "key", "value")
# Of a layer what is held turned over, and what as it is.
_TURNED = tuple(f"{name}.weight" for name in _DENSE)
_AS_IT_IS = (*(f"{one}.weight" for one in _NORMS), *(f"{one}.bias" for one in _DENSE + _NORMS))
_OUTSIDE = -1e9


def layer_of(tensors: Any, number: int) -> dict[str, Any]:
    """Return a layer's tensors, its three projections in one."""
    prefix = f"encoder.layer.{number}."
    asked = [f"{prefix}attention.self.{one}" for one in _ASKED]
    found = {
        "asked.weight": np.concatenate([tensors[f"{one}.weight"].T for one in asked], axis=1),
        "asked.bias": np.concatenate([tensors[f"{one}.bias"] for one in asked]),
    }
    found |= {name: tensors[prefix + name].T for name in _TURNED}
    found |= {name: tensors[prefix + name] for name in _AS_IT_IS}
    return {name: jnp.asarray(value) for name, value in found.items()}


def beginning(tensors: Any) -> dict[str, Any]:
    """Return what is taught, as it is before: of an embedder's tensors, or of a reader's."""
    layers = [layer_of(tensors, number) for number in range(LOWER_LAYERS, LAYERS)]
    if MARKS in tensors:
        marks, score = tensors[MARKS], tensors[f"{SCORE}.weight"].T
        bias = tensors[f"{SCORE}.bias"]
    else:
        marks, bias = np.zeros((2, WIDTH)), np.array([0.0, -1.0])  # most units answer nothing
        score = np.random.default_rng(0).normal(0, 0.02, (WIDTH, 2))
    rest = {"marks": marks, "score": score, "bias": bias}
    found = {name: jnp.asarray(value, jnp.float32) for name, value in rest.items()}
    return {"layers": layers, **found}


def tensors_of(taught: Any) -> dict[str, np.ndarray]:
    """Return what was taught under the names of the embedder's tensors."""
    found: dict[str, Any] = {
        MARKS: taught["marks"],
        f"{SCORE}.weight": taught["score"].T,
        f"{SCORE}.bias": taught["bias"],
    }
    for number, layer in enumerate(taught["layers"], start=LOWER_LAYERS):
        prefix = f"encoder.layer.{number}."
        for at, one in enumerate(_ASKED):
            part = slice(at * WIDTH, (at + 1) * WIDTH)
            found[f"{prefix}attention.self.{one}.weight"] = layer["asked.weight"][:, part].T
            found[f"{prefix}attention.self.{one}.bias"] = layer["asked.bias"][part]
        found |= {prefix + name: layer[name].T for name in _TURNED}
        found |= {prefix + name: layer[name] for name in _AS_IT_IS}
    return {name: np.ascontiguousarray(value, np.float32) for name, value in found.items()}


def places(lengths: Sequence[int], longest: int, total: int) -> tuple[np.ndarray, ...]:
    """Return where the tokens of texts lie: int32[texts, longest], which are, and back again."""
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    column = np.arange(longest)[np.newaxis]
    held = column < np.array(lengths)[:, np.newaxis]
    index = np.where(held, starts[:, np.newaxis] + column, 0).astype(np.int32)
    back = np.zeros(total, np.int32)
    back[index[held]] = np.flatnonzero(held.ravel())
    return index, held, back


def _normal(x: Any, layer: Any, name: str) -> Any:
    apart = x - x.mean(-1, keepdims=True)
    scaled = apart * jax.lax.rsqrt((apart * apart).mean(-1, keepdims=True) + EPSILON)
    return scaled * layer[f"{name}.weight"] + layer[f"{name}.bias"]


def _dense(x: Any, layer: Any, name: str) -> Any:
    return x @ layer[f"{name}.weight"] + layer[f"{name}.bias"]


def _rest(mixed: Any, x: Any, layer: Any) -> Any:
    x = _normal(_dense(mixed, layer, _DENSE[0]) + x, layer, _NORMS[0])
    wide = jax.nn.gelu(_dense(x, layer, _DENSE[1]), approximate=False)
    return _normal(_dense(wide, layer, _DENSE[2]) + x, layer, _NORMS[1])


def through(x: Any, layer: Any, where: tuple[Any, ...]) -> Any:
    """Return float32[tokens, 384] behind a layer."""
    index, held, back = where
    shape = (*index.shape, 3, HEADS, WIDTH // HEADS)
    query, key, value = jnp.moveaxis(_dense(x, layer, "asked")[index].reshape(shape), 2, 0)
    scores = jnp.einsum("tlhd,tmhd->thlm", query, key) * (WIDTH // HEADS) ** -0.5
    scores += jnp.where(held, 0, _OUTSIDE)[:, None, None, :]
    mixed = jnp.einsum("thlm,tmhd->tlhd", jax.nn.softmax(scores, -1), value)
    return _rest(mixed.reshape(-1, WIDTH)[back], x, layer)


def first_through(x: Any, layer: Any, where: tuple[Any, ...]) -> Any:
    """Return float32[texts, 384], the first token of each behind a layer."""
    index, held, _ = where
    first, weight, bias = x[index[:, 0]], layer["asked.weight"], layer["asked.bias"]
    query = (first @ weight[:, :WIDTH] + bias[:WIDTH]).reshape(-1, HEADS, WIDTH // HEADS)
    shape = (*index.shape, 2, HEADS, WIDTH // HEADS)
    both = (x @ weight[:, WIDTH:] + bias[WIDTH:])[index].reshape(shape)
    scores = jnp.einsum("thd,tmhd->thm", query, both[:, :, 0]) * (WIDTH // HEADS) ** -0.5
    scores += jnp.where(held, 0, _OUTSIDE)[:, None, :]
    mixed = jnp.einsum("thm,tmhd->thd", jax.nn.softmax(scores, -1), both[:, :, 1])
    return _rest(mixed.reshape(-1, WIDTH), first, layer)


def alone(words: Any, layers: Sequence[Any], ids: Any, at: Any, where: tuple[Any, ...]) -> Any:
    """Return float32[tokens, 384] of texts each read alone; `at` are the places of the tokens."""
    x = _normal(words["word"][ids] + words["place"][at], words, "norm")
    for layer in layers:
        x = through(x, layer, where)
    return x


def together(taught: Any, x: Any, which: Any, where: tuple[Any, ...]) -> Any:
    """Return float32[pairs, 2]; `which` tells of each token whether it is the unit's."""
    x = x + taught["marks"][which]
    for layer in taught["layers"][:-1]:
        x = through(x, layer, where)
    return first_through(x, taught["layers"][-1], where) @ taught["score"] + taught["bias"]

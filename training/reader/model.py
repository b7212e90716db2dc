"""The reader: a small transformer over one packed sequence, and what it says about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from soni.du.local.packing import ACTS, ROLES, sees

if TYPE_CHECKING:
    from collections.abc import Mapping

FAR = -1e4
"""A score that is never chosen."""
_SPAN = 128


@dataclass(frozen=True, slots=True)
class Size:
    """How large a reader is; the default is that of the sentence encoder it starts from."""

    vocabulary: int
    width: int = 384
    layers: int = 6
    heads: int = 12
    places: int = 512


@dataclass(slots=True)
class Outputs:
    """Scores, before they are made probabilities."""

    flows: Tensor
    """One for each flow, and the last for none."""
    statuses: Tensor
    firsts: Tensor
    lasts: Tensor
    options: Tensor
    acts: Tensor


class Layer(nn.Module):
    """Attention and a perceptron, each normalised behind."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.heads = size.heads
        self.query, self.key, self.value, self.out = (nn.Linear(size.width, size.width) for _ in range(4))
        self.norm_seen, self.norm_thought = (nn.LayerNorm(size.width, 1e-12) for _ in range(2))
        self.wide, self.narrow = nn.Linear(size.width, 4 * size.width), nn.Linear(4 * size.width, size.width)
        self.drop = nn.Dropout(0.1)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        count, length, width = x.shape

        def split(part: Tensor) -> Tensor:
            return part.view(count, length, self.heads, width // self.heads).transpose(1, 2)

        query, key, value = split(self.query(x)), split(self.key(x)), split(self.value(x))
        seen = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask.to(query.dtype))
        x = self.norm_seen(x + self.drop(self.out(seen.transpose(1, 2).reshape(count, length, width))))
        thought: Tensor = self.norm_thought(x + self.drop(self.narrow(functional.gelu(self.wide(x)))))
        return thought


def _head(width: int, out: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, out))


class Reader(nn.Module):
    """Reads packed messages; the same layers also turn a sentence into a vector."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.size = size
        self.words = nn.Embedding(size.vocabulary, size.width)
        self.places = nn.Embedding(size.places, size.width)
        self.roles = nn.Embedding(ROLES, size.width)
        self.norm = nn.LayerNorm(size.width, 1e-12)
        self.drop = nn.Dropout(0.1)
        self.layers = nn.ModuleList([Layer(size) for _ in range(size.layers)])
        self.flow, self.none, self.option = (_head(size.width, 1) for _ in range(3))
        self.status, self.act = _head(size.width, 3), _head(size.width, len(ACTS))
        self.span_slot, self.span_word = (nn.Linear(size.width, 2 * _SPAN) for _ in range(2))

    def start_from(self, weights: Mapping[str, Any], old_ids: list[list[int]]) -> None:
        """Take over a sentence encoder; a new word begins as the mean of the old pieces that mean the same."""
        old = {name: torch.as_tensor(value).float() for name, value in weights.items()}
        with torch.no_grad():
            table = old["embeddings.word_embeddings.weight"]
            self.words.weight.copy_(torch.stack([table[torch.tensor(ids)].mean(0) for ids in old_ids]))
            self.places.weight.copy_(old["embeddings.position_embeddings.weight"])
            role = old["embeddings.token_type_embeddings.weight"][0]
            self.roles.weight.copy_(role + 0.01 * torch.randn(ROLES, self.size.width))
            _copy(self.norm, old, "embeddings.LayerNorm")
            for number, layer in enumerate(self.layers):
                for name, source in _SOURCES.items():
                    _copy(getattr(layer, name), old, f"encoder.layer.{number}.{source}")

    def hidden(self, ids: Tensor, places: Tensor, roles: Tensor, mask: Tensor) -> Tensor:
        x: Tensor = self.drop(self.norm(self.words(ids) + self.places(places) + self.roles(roles)))
        unseen = torch.zeros_like(mask, dtype=x.dtype).masked_fill(~mask, FAR)[:, None]
        for layer in self.layers:
            x = layer(x, unseen)
        return x

    def sentence(self, ids: Tensor, role: int) -> Tensor:
        """A vector of length one for each row; padding is 0."""
        real = ids != 0
        places = torch.arange(ids.shape[1], device=ids.device).expand_as(ids)
        x = self.hidden(ids, places, torch.full_like(ids, role), real[:, None, :].expand(-1, ids.shape[1], -1))
        weight = real.to(x.dtype)[:, :, None]
        return functional.normalize((x * weight).sum(1).float() / weight.sum(1).float(), dim=-1)

    def forward(self, batch: Mapping[str, Tensor]) -> Outputs:
        mask = sees(batch["kinds"], batch["elements"], batch["parents"])
        x = self.hidden(batch["ids"], batch["places"], batch["roles"], mask)
        flows = self.flow(_at(x, batch["flow_marks"])).squeeze(-1).float().masked_fill(batch["flow_marks"] < 0, FAR)
        slots = _at(x, batch["slot_marks"])
        query, key = self.span_slot(slots).float(), self.span_word(x).float()
        place = torch.arange(x.shape[1], device=x.device)[None]
        outside = ((place < 1) | (place > batch["said"][:, None]))[:, None]
        scale = _SPAN**-0.5
        first = query[..., :_SPAN] @ key[..., :_SPAN].transpose(1, 2) * scale
        last = query[..., _SPAN:] @ key[..., _SPAN:].transpose(1, 2) * scale
        options = self.option(_at(x, batch["option_marks"])).squeeze(-1).float()
        owner = torch.arange(slots.shape[1], device=x.device)[None, :, None]
        foreign = batch["option_slots"][:, None, :] != owner
        return Outputs(
            flows=torch.cat([flows, self.none(x[:, 0]).float()], 1),
            statuses=self.status(slots).float(),
            firsts=first.masked_fill(outside, FAR),
            lasts=last.masked_fill(outside, FAR),
            options=options[:, None, :].expand(-1, slots.shape[1], -1).masked_fill(foreign, FAR),
            acts=self.act(x[:, 0]).float(),
        )


_SOURCES = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "out": "attention.output.dense",
    "norm_seen": "attention.output.LayerNorm",
    "wide": "intermediate.dense",
    "narrow": "output.dense",
    "norm_thought": "output.LayerNorm",
}


def _copy(module: Any, weights: Mapping[str, Tensor], name: str) -> None:
    module.weight.copy_(weights[f"{name}.weight"])
    module.bias.copy_(weights[f"{name}.bias"])


def _at(x: Tensor, marks: Tensor) -> Tensor:
    rows = torch.arange(x.shape[0], device=x.device)[:, None]
    return x[rows, marks.clamp(min=0)]


def losses(out: Outputs, batch: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """What is to be made smaller, each part weighed."""
    known = batch["acts"] >= 0
    acts = functional.binary_cross_entropy_with_logits(out.acts, batch["acts"].clamp(min=0).float(), reduction="none")
    soft = -(batch["soft"] * out.flows[:, :-1].log_softmax(-1)).sum(-1)
    return {
        "flow": _mean(out.flows, batch["flow"]),
        "soft": 2 * soft.mean(),
        "status": 3 * _mean(out.statuses, batch["status"]),
        "span": 0.7 * (_mean(out.firsts, batch["first"]) + _mean(out.lasts, batch["last"])),
        "option": _mean(out.options, batch["option"]),
        "act": 6 * (acts * known).sum() / known.sum().clamp(min=1),
    }


def _mean(scores: Tensor, labels: Tensor) -> Tensor:
    """Cross entropy over what is labelled; nothing where nothing is."""
    total = functional.cross_entropy(
        scores.reshape(-1, scores.shape[-1]), labels.reshape(-1), ignore_index=-100, reduction="sum"
    )
    return total / (labels >= 0).sum().clamp(min=1)


def sentence_loss(vectors: Tensor, wanted: Tensor) -> Tensor:
    """How far the sentences' vectors are from the teacher's, each alone and among the others."""
    alone = 1 - (vectors * wanted).sum(-1).mean()
    own, theirs = vectors @ vectors.T / 0.05, wanted @ wanted.T / 0.05
    among = functional.kl_div(own.log_softmax(-1), theirs.log_softmax(-1), log_target=True, reduction="batchmean")
    return 5 * alone + 0.5 * among


def likeness_loss(vectors: Tensor, of: int) -> Tensor:
    """How little sentences that ask for the same are alike; every `of` rows in a row ask for the same."""
    itself = torch.eye(len(vectors), dtype=torch.bool, device=vectors.device)
    scores = (vectors @ vectors.T / 0.07).masked_fill(itself, FAR)
    group = torch.arange(len(vectors), device=vectors.device) // of
    same = (group[:, None] == group[None]) & ~itself
    return -(scores.log_softmax(-1) * same).sum(-1).div(same.sum(-1)).mean()

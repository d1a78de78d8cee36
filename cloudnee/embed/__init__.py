"""Texts to vectors. Importing this loads no model, no numpy and no onnxruntime."""

from __future__ import annotations

from cloudnee.embed.base import PACKAGED_MODEL, Embedder, checked, readable

__all__ = ["PACKAGED_MODEL", "Embedder", "checked", "default_embedder", "readable"]


def default_embedder(model: str | None = None) -> Embedder:
    """The embedder for a model's name: the packaged one by default, fastembed's for all others.

    Nothing is loaded before the first text is embedded.
    """
    if model is None or model == PACKAGED_MODEL:
        from cloudnee.embed.packaged import PackagedEmbedder

        return PackagedEmbedder()
    from cloudnee.embed.fast import FastEmbedder

    return FastEmbedder(model)

"""GLAM: imitation from heterogeneous demonstrations with grounded latent-action world models."""

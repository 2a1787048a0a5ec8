"""Stage 1: world models with latent actions. GLAM with its ablations, and the baselines CLAM and LAPA."""

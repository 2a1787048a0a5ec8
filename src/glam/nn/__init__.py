"""Building blocks of every network: residual and plain MLPs, convolutions, Gaussians, a vector quantiser, noise."""

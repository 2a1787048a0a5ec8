"""Code that every layer may use: errors, files, configs as JSON, geometry. Numpy and the standard library only."""

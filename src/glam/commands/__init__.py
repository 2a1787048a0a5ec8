"""The commands: flags with their help, and what is printed. All work is done in `glam.stages`."""

"""Policy server. The robot's side is the package `glam_client`; neither imports torch."""

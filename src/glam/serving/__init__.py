"""A policy on one machine, its robot on another: the server, and what runs on the robot. Neither knows torch."""

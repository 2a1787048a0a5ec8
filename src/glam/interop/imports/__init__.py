"""Recordings of other projects: robomimic HDF5, zarr of UMI and diffusion policy, folders of videos with poses.

A process of its own parses the files (`reader_process`, `stores`) and hands plain arrays to this one
(`reader_client`). Each importer (`robomimic`, `umi_zarr`, `video_folder`; registry: `formats`) makes a `Recording` of
them, and `conversion` makes a dataset of the recording.
"""

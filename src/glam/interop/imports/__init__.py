"""Recordings of other projects: robomimic HDF5, zarr of UMI and diffusion policy, folders of videos with poses.

Files are taken apart by a process of its own (`reader_process`, `stores`) that hands plain arrays to this one
(`child`); what the arrays mean (`robomimic`, `umi_zarr`, `video_folder`) and what becomes of them (`conversion`) is
decided here.
"""

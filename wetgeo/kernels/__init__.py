"""Kernels: numpy and shapely arrays in, arrays out. No frames, files, CRS, column names, logging or law."""

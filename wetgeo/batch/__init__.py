"""Projects of any size, worked in tiles by several processes and put together again; what was done outlasts a kill."""

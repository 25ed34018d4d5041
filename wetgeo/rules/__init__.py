"""Rules as data: packs of TOML, their closed vocabulary, and the decisions that follow from facts.

`load.load_pack` reads a pack; `width.decide_width` decides a required width; `evaluate` holds the other decisions.
No regulatory number stands in this package's code: each lives in a pack, with its citation.
"""

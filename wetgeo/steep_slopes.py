"""Steep slopes: the ground up to the top of a slope that a zone holds part of."""

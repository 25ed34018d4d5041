"""MnRAM ratings that several test modules start from."""

#: an isolated wetland that has no characteristic of categories 1, 2 and 4
PLAIN = {
    "vegetative_diversity": "low",
    "hydrologic_regime": "low",
    "wetland_water_quality": "low",
    "downstream_water_quality": "low",
    "wildlife_habitat": "low",
    "fish_habitat": "low",
    "amphibian_habitat": "low",
    "groundwater_dependent_community": "no",
    "stormwater_sensitivity": "low",
    "setting": "isolated",
    "use": "none",
}

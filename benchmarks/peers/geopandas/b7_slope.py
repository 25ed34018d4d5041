"""B6 and B7 by rasterio, numpy and exactextract: a slope raster, and its mean in each ring."""

from exactextract import exact_extract
from files import DATA, OUT, read
from slopes import write_slope

slope = write_slope(DATA / "dem.tif", OUT / "slope.tif")
means = exact_extract(str(slope), read("rings"), "mean", include_cols=["WET_ID"], output="pandas")
means.rename(columns={"mean": "slope_pct"}).to_csv(OUT / "out.csv", index=False)

"""What the functions of `wetgeo.api` return: layers as frames, the reasons, and a way to write them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
from pyproj import CRS

from wetgeo.delineation import Delineation
from wetgeo.errors import closest
from wetgeo.given import several, told_in_python
from wetgeo.outputs.explain import explain_from
from wetgeo.outputs.write import prepare, write_outputs
from wetgeo.project import DEFAULT_FORMATS, FORMATS


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a run found.

    Attributes
    ----------
    delineation
        The whole, as the writers take it.
    layers
        Frames by the names of the outputs (``buffers``, ``monuments``, ``findings`` ...), with the fields, units and
        order that the files have; spatial ones are GeoDataFrames in the working CRS.

    Examples
    --------
    >>> import geopandas, shapely, wetgeo
    >>> pond = geopandas.GeoDataFrame(
    ...     {"id": ["W-1"], "class": ["Manage 1"]}, geometry=[shapely.box(500000, 4980000, 500060, 4980040)], crs=26915
    ... )
    >>> result = wetgeo.required_buffers(wetlands=pond, rule="mcwd-2024")
    >>> float(result["buffers"]["width_ft"].iloc[0])
    40.0
    """

    delineation: Delineation
    layers: Mapping[str, pd.DataFrame] = field(repr=False)

    @classmethod
    def of(cls, delineation: Delineation) -> Result:
        """Make the frames of a delineation as they would be written."""
        return cls(delineation=delineation, layers=prepare(delineation, ()).layers)

    def __getitem__(self, name: str) -> pd.DataFrame:
        if name not in self.layers:
            near = closest(name, self.layers)
            raise KeyError(
                f"no layer {name!r}" + (f"; did you mean {near!r}?" if near else f": {', '.join(self.layers)}")
            )
        return self.layers[name]

    @property
    def findings(self) -> pd.DataFrame:
        """What a reviewer should know: severity, code, layer, feature_id, message, citation."""
        return self.layers["findings"]

    @property
    def crs(self) -> CRS:
        """The working CRS."""
        return self.delineation.crs

    @property
    def options(self) -> Mapping[str, Any]:
        """The rule's options as used, defaults included."""
        return self.delineation.options

    @property
    def complies(self) -> bool | None:
        """Whether a judged or designed buffer complies (exit status 0 of the command); None where none was judged."""
        if "averaging" not in self.layers or not len(self.layers["averaging"]):
            return None
        verdicts = self.layers["averaging"]["verdict"]
        return bool(verdicts.eq("compliant").all() and self.layers["violations"].empty)

    def explain(self, resource_id: str) -> str:
        """Tell in words why a resource has its width, as ``wetgeo explain`` does.

        Parameters
        ----------
        resource_id
            As in the field ``resource_id`` of layer ``resources``.

        Returns
        -------
        str
            Lines of text; widths in feet, areas in square feet and acres. `required_buffers` has an example.

        Raises
        ------
        OutputError
            There is no such resource.
        """
        return explain_from(self.layers.__getitem__, resource_id, "the result")

    def write(
        self, folder: str | Path, formats: str | Sequence[str] = DEFAULT_FORMATS, *, overwrite: bool = False
    ) -> list[Path]:
        """Write files as ``wetgeo run`` does, all or none.

        Parameters
        ----------
        folder
            The output folder; made where there is none.
        formats
            Of ``gpkg``, ``shp``, ``qgz``, ``html``, ``pdf``, ``csv``, ``declaration`` and ``dxf``; provenance.json is
            always written. One alone may be given as a str.
        overwrite
            Whether outputs of an earlier run may be replaced.

        Returns
        -------
        list of Path
            The files that were written.

        Raises
        ------
        OutputError
            The folder holds outputs already, or cannot be written.
        ValueError
            A format is not known.

        Examples
        --------
        >>> import geopandas, shapely, tempfile, wetgeo
        >>> pond = geopandas.GeoDataFrame(
        ...     {"id": ["W-1"], "class": ["Manage 1"]}, geometry=[shapely.box(5e5, 4980000, 500060, 4980040)], crs=26915
        ... )
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     files = wetgeo.required_buffers(wetlands=pond, rule="mcwd-2024").write(folder, "gpkg")
        >>> sorted(path.name for path in files)
        ['buffers.gpkg', 'provenance.json']
        """
        wanted = several(formats)
        unknown = [name for name in wanted if name not in FORMATS]
        if unknown:
            raise ValueError(f"unknown formats {', '.join(map(repr, unknown))}; known are {', '.join(FORMATS)}")
        with told_in_python():
            return write_outputs(self.delineation, Path(folder).absolute(), overwrite=overwrite, formats=wanted)

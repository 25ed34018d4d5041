-- B5: points evenly along the outlines of buffers, in gaps of at most the interval
-- load: buffers
-- export: points
CREATE UNLOGGED TABLE points AS
WITH rings AS (
  SELECT wet_id, ST_ExteriorRing((ST_DumpRings(part.geom)).geom) AS ring
  FROM buffers, LATERAL ST_Dump(geom) AS part
), counted AS (
  SELECT wet_id, ring, ceil(ST_Length(ring) / :interval_m) AS n FROM rings
)
-- a hair less than an n-th, so that the n-th point is not lost by rounding
SELECT wet_id, (ST_Dump(ST_LineInterpolatePoints(ring, (1 - 1e-12) / n, n > 1))).geom::geometry(Point, 26915) AS geom
FROM counted;

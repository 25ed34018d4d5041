-- B9: the whole rule: base width by class, less a cut for slope and one for soil, down to the floor; buffers less
-- wetlands; buffer held by each parcel; monuments at lot lines and evenly between
-- load: wetlands parcels soils slope
-- export: buffers buffer_union parcels monuments

CREATE FUNCTION drawn(geom geometry, width float8, chord float8) RETURNS geometry
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000 AS
$$ SELECT ST_Buffer(geom, width, 'quad_segs=' || ceil(pi() / 4 / acos(1 - chord / width))::int) $$;

ALTER TABLE parcels RENAME TO lots;

CREATE UNLOGGED TABLE rings AS
SELECT d.wet_id, ST_Difference(d.geom, w.geom) AS geom
FROM (SELECT wet_id, drawn(geom, base_m, :chord_m) AS geom FROM wetlands OFFSET 0) AS d
CROSS JOIN LATERAL (SELECT ST_Union(w.geom) AS geom FROM wetlands w WHERE ST_Intersects(w.geom, d.geom)) AS w;
CREATE INDEX ON rings USING gist (geom);
ANALYZE rings;

CREATE UNLOGGED TABLE slopes AS
SELECT wet_id, round((sum(s.sum) / sum(s.count))::numeric, 2)::float8 AS slope_pct
FROM rings JOIN slope ON ST_Intersects(rast, geom)
CROSS JOIN LATERAL ST_SummaryStats(ST_Clip(rast, geom, true)) AS s
GROUP BY wet_id;

-- a dual group is D; none where over half of the ground is unrated
CREATE UNLOGGED TABLE groups AS
WITH held AS (
  SELECT r.wet_id, CASE WHEN s.hydgrp LIKE '%/%' THEN 'D' ELSE s.hydgrp END AS hsg,
         sum(ST_Area(ST_Intersection(r.geom, s.geom))) AS area
  FROM rings r JOIN soils s ON ST_Intersects(r.geom, s.geom)
  GROUP BY 1, 2
), rated AS (
  SELECT wet_id, sum(area) FILTER (WHERE hsg IS NOT NULL) / sum(area) AS share FROM held GROUP BY wet_id
)
SELECT DISTINCT ON (wet_id) wet_id, CASE WHEN share >= 0.5 THEN hsg END AS hsg
FROM held JOIN rated USING (wet_id)
ORDER BY wet_id, hsg IS NULL, area DESC, hsg DESC;

CREATE UNLOGGED TABLE widths AS
SELECT w.wet_id, w.geom, s.slope_pct, g.hsg,
       greatest(
         w.floor_m,
         w.base_m
         - :slope_cut_m * greatest(0, floor((:slope_below - s.slope_pct) / :slope_step + 1e-9))
         - :soil_cut_m * coalesce(ascii('D') - ascii(g.hsg), 0)
       ) AS width_m
FROM wetlands w LEFT JOIN slopes s USING (wet_id) LEFT JOIN groups g USING (wet_id);

CREATE UNLOGGED TABLE footprints AS
SELECT wet_id, slope_pct, hsg, width_m, drawn(geom, width_m, :chord_m) AS geom FROM widths;
CREATE INDEX ON footprints USING gist (geom);
ANALYZE footprints;

CREATE UNLOGGED TABLE buffers AS
SELECT wet_id, slope_pct, hsg, width_m / 0.3048 AS width_ft, ST_Area(geom) / 0.3048 ^ 2 AS area_sqft, geom
FROM (
  SELECT f.*, ST_Multi(ST_CollectionExtract(ST_Difference(f.geom, w.geom), 3))::geometry(MultiPolygon, 26915) AS cut
  FROM footprints f
  CROSS JOIN LATERAL (SELECT ST_Union(w.geom) AS geom FROM wetlands w WHERE ST_Intersects(w.geom, f.geom)) AS w
) AS c(wet_id, slope_pct, hsg, width_m, footprint, geom);

CREATE UNLOGGED TABLE buffer_union AS
SELECT (ST_Dump(ST_Union(geom))).geom::geometry(Polygon, 26915) AS geom
FROM (SELECT geom, ST_ClusterDBSCAN(geom, 0, 1) OVER () AS cluster FROM buffers) AS clustered
GROUP BY cluster;
CREATE INDEX ON buffer_union USING gist (geom);
ANALYZE buffer_union;

CREATE UNLOGGED TABLE parcels AS
SELECT p.pin, h.area / 0.3048 ^ 2 AS buffer_sqft, p.geom
FROM lots p
CROSS JOIN LATERAL (
  SELECT sum(ST_Area(ST_Intersection(p.geom, u.geom))) AS area FROM buffer_union u WHERE ST_Intersects(p.geom, u.geom)
) AS h
WHERE h.area > 0.3048 ^ 2;

-- the edge of all buffers together, water included
CREATE UNLOGGED TABLE edges AS
SELECT row_number() OVER () AS edge, ring, ST_Length(ring) AS length
FROM (
  SELECT ST_ExteriorRing((ST_DumpRings(part)).geom) AS ring
  FROM (
    SELECT (ST_Dump(ST_Union(geom))).geom AS part
    FROM (SELECT geom, ST_ClusterDBSCAN(geom, 0, 1) OVER () AS cluster FROM footprints) AS clustered
    GROUP BY cluster
  ) AS parts
) AS rings;
ANALYZE edges;

CREATE UNLOGGED TABLE monuments AS
WITH met AS (
  SELECT e.edge, e.ring, e.length, (ST_DumpPoints(ST_Intersection(e.ring, ST_Boundary(p.geom)))).geom AS place
  FROM edges e JOIN lots p ON ST_Intersects(e.ring, p.geom)
), located AS (
  SELECT edge, ring, length, length * ST_LineLocatePoint(ring, place) AS at FROM met
), spaced AS (
  SELECT *, at - lag(at) OVER (PARTITION BY edge ORDER BY at) AS since FROM located
), fixed AS (
  SELECT edge, ring, length, at FROM spaced WHERE since IS NULL OR since >= 0.5 * 0.3048
  UNION ALL
  SELECT edge, ring, length, 0 FROM edges e WHERE NOT EXISTS (SELECT 1 FROM located l WHERE l.edge = e.edge)
), gaps AS (
  SELECT *, coalesce(lead(at) OVER w, min(at) OVER (PARTITION BY edge) + length) - at AS gap
  FROM fixed WINDOW w AS (PARTITION BY edge ORDER BY at)
), counted AS (
  SELECT *, greatest(1, ceil((gap - 0.003) / :interval_m))::int AS n FROM gaps
)
SELECT edge, station / 0.3048 AS station_ft,
       ST_LineInterpolatePoint(ring, CASE WHEN station > length THEN station - length ELSE station END / length)
         ::geometry(Point, 26915) AS geom
FROM counted
CROSS JOIN LATERAL (SELECT at + gap * k / n AS station FROM generate_series(0, n - 1) AS k) AS s;

-- B2: buffers less all wetlands
-- load: buffers wetlands
-- export: rings
CREATE UNLOGGED TABLE rings AS
SELECT b.wet_id, ST_Multi(ST_Difference(b.geom, w.geom))::geometry(MultiPolygon, 26915) AS geom
FROM buffers b
CROSS JOIN LATERAL (SELECT ST_Union(w.geom) AS geom FROM wetlands w WHERE ST_Intersects(w.geom, b.geom)) w;

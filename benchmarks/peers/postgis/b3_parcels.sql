-- B3: the pieces of buffers on parcels
-- load: buffers parcels
-- export: pieces
CREATE UNLOGGED TABLE pieces AS
SELECT b.wet_id, p.pin,
       ST_CollectionExtract(
         CASE WHEN ST_CoveredBy(p.geom, b.geom) THEN p.geom ELSE ST_Intersection(b.geom, p.geom) END, 3
       )::geometry(Geometry, 26915) AS geom
FROM buffers b JOIN parcels p ON ST_Intersects(b.geom, p.geom);
DELETE FROM pieces WHERE ST_IsEmpty(geom);

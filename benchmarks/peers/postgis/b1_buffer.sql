-- B1: each wetland's buffer at its base width
-- load: wetlands
-- export: buffers
CREATE UNLOGGED TABLE buffers AS
SELECT wet_id, ST_Buffer(geom, base_m, 'quad_segs=' || segs)::geometry(Geometry, 26915) AS geom FROM wetlands;

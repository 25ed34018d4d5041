-- B4: all buffers as connected parts, united cluster by cluster
-- load: buffers
-- export: parts
CREATE UNLOGGED TABLE parts AS
SELECT (ST_Dump(ST_Union(geom))).geom::geometry(Polygon, 26915) AS geom
FROM (SELECT geom, ST_ClusterDBSCAN(geom, 0, 1) OVER () AS cluster FROM buffers) AS clustered
GROUP BY cluster;

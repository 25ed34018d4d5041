-- B6 and B7: mean slope of each ring; cells count by their centres
-- load: rings slope
-- export: slopes
CREATE UNLOGGED TABLE slopes AS
SELECT wet_id, sum(s.sum) / sum(s.count) AS slope_pct
FROM rings JOIN slope ON ST_Intersects(rast, geom)
CROSS JOIN LATERAL ST_SummaryStats(ST_Clip(rast, geom, true)) AS s
GROUP BY wet_id;

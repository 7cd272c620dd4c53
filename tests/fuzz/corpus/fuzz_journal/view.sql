-- ours
DROP TABLE sweep;
CREATE VIEW sweep AS WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i) SELECT n AS id, 'a' AS title, 'b' AS goal, '' AS best, 1 AS plans, 0 AS known, 1 AS played, n AS begun, n AS seen, 1 AS ended FROM i;

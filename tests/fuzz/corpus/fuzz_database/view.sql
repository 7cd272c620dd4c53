PRAGMA application_id = 1414746180
CREATE VIEW measurement AS SELECT 1 AS family, 2 AS dtype, 3 AS features, 4 AS device, 5 AS software, 6 AS source, 7 AS time_us, 8 AS low_us, 9 AS high_us, 10 AS repeats

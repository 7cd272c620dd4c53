-- ours
WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 40) INSERT INTO plan (key, parameters, state, why, warnings, confidence) SELECT cast(printf('%032d', n) as blob), hex(zeroblob(500)), 'refused', 'x', '[]', '' FROM i;
INSERT INTO sweep VALUES(1,'small, search options','minimize step_time','m=1 dp=2: 3.139 ms, 978.6 MiB',2,0,2,1795499363.33,1795499363.38,1);
-- endless plan

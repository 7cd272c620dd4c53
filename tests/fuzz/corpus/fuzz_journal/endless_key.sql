-- ours
WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 300) INSERT INTO input SELECT printf('%0100d', n), 'p', 'plan', hex(zeroblob(32)) FROM i;
INSERT INTO sweep VALUES(1,'small, search options','minimize step_time','m=1 dp=2: 3.139 ms, 978.6 MiB',2,0,2,1795499363.33,1795499363.38,1);
-- endless sqlite_autoindex_input_1

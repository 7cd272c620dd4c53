-- ours
WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 200) INSERT INTO measurement SELECT 'gemm', 'bf16', printf('k=%d m=1 n=%0100d', n, n), 'A', '', 's', n, n, n + 1, 3 FROM i;
-- endless measurement

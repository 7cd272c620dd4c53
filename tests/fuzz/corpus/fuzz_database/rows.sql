-- ours
WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 200) INSERT INTO measurement SELECT 'gemm', 'bf16', printf('k=%d m=1 n=%0100d', n, n), 'A', '', 's', n, n, n + 1, 3 FROM i;
INSERT INTO measurement VALUES ('gemm', 'bf16', '=', 'B', char(10), x'00ff', 1e308, 'a', NULL, -1);
INSERT INTO measurement VALUES (cast(x'ff80' as text), '', 'k=1 k=2', '', '', '', 9e999, -1, 9e999, 1e300);

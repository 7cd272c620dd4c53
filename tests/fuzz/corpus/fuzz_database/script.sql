PRAGMA application_id = 1414746180
CREATE TABLE measurement (family TEXT NOT NULL, dtype TEXT NOT NULL, features TEXT NOT NULL, device TEXT NOT NULL, software TEXT NOT NULL, source TEXT NOT NULL, time_us REAL NOT NULL CHECK (time_us > 0), low_us REAL, high_us REAL, repeats INTEGER, PRIMARY KEY (family, dtype, features, device, software, source)) WITHOUT ROWID
INSERT INTO measurement VALUES ('gemm', 'bf16', 'm=1 n=2 k=3', 'A', '', 's', 1.5, 1, 2, 3)
INSERT INTO measurement VALUES ('gemm', 'bf16', '=', 'B', char(10), x'00ff', 1e308, 'a', NULL, -1)

PRAGMA application_id = 1414746180
CREATE TABLE measurement (family, dtype, features, device, software, source, time_us, low_us, high_us, repeats)
INSERT INTO measurement VALUES (NULL, 1, 'a=1 a=2 =3 b', '', NULL, x'ff', 'x', -1, 9e999, 1e300)

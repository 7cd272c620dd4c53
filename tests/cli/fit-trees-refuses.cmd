trainspec fit ops _gemms.csv --device a --units 100 --trees -o $scratch/c.fit.json 2>&1 | head -1

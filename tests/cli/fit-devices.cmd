trainspec fit ops a=_gemms.csv b=_gemms.csv --devices _sheets.csv --device c -o $scratch/c.fit.json && grep -c weight $scratch/c.fit.json

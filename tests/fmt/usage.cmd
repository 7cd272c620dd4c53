tsfmt --in-place --check x.ts

tsfmt --check nowhere.ts

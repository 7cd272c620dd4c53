tsc a.ts b.ts

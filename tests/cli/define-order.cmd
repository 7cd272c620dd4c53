tsc --check -D layers=2 -D layers=zero _plan.ts

tsc -o no/such/folder/plan.ir cli-unwritable.ts

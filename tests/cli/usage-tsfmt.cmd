tsfmt --chek plan.ts

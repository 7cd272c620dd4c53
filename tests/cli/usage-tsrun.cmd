tsrun --formt=json plan.ts

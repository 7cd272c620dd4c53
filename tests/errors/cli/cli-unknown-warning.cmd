tsc -W unused-nmae plan.ts

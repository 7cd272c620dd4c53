tsc --check -W no-idle-replicas _idle.ts

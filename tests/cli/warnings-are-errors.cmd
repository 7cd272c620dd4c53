tsc --check -W error=idle-replicas _idle.ts

# A plan and its lock of each release are read by this one, the plan after --upgrade where its language is older. A new release adds its own: trainspec lock.
version=$(trainspec --version | sed -n '1s/.* //p'); ls "_lock_$version.lock" >/dev/null && echo "the lock of this release is kept"
for lock in _lock_*.lock; do
  cp "$lock" "$scratch/plan.lock"; tsfmt --upgrade "${lock%.lock}.ts" >"$scratch/plan.ts"
  trainspec lock --check "$scratch/plan.ts" >"$scratch/said" 2>&1; echo "${lock#_lock_}: exit $?" | sed 's/exit [01]$/read/'
  grep -E '^error' "$scratch/said" | grep -v E0710
  [ "_lock_$version.lock" = "$lock" ] || grep -oE '= (TrainSpec|std|moved by) ' "$scratch/said"
done

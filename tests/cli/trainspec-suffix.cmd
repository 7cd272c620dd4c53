cd $scratch && mkdir suffix && cd suffix || exit
cat >layers.trainspec <<'END'
language 1
fn depth() -> Int = 4
END
echo 'fn width() -> Int = 512' >sizes.trainspec
cat >plan.trainspec <<'END'
// Plans may end in .trainspec, and import files that do.
language   1

import layers, std.models.gpt, std.clusters.dgx
import "sizes.trainspec" (width as wide)

plan p(n: Int = depth()) {
  model = gpt(layers: n, hidden: wide(), heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  costs = [roofline(a100_sxm_80g)]
}
search depths of p { vary n in [depth(), 8]; minimize step_time }
END
tsfmt -i plan.trainspec && head -4 plan.trainspec
tsc plan.trainspec && ls
tsrun plan.trainspec 2>/dev/null | head -1
trainspec sweep --format=csv plan.trainspec 2>/dev/null | cut -d, -f1
trainspec topo plan.trainspec | head -1
trainspec diff plan.trainspec plan.ir 2>/dev/null
trainspec export -o job plan.trainspec 2>/dev/null; ls job*
cat >wrong.trainspec <<'END'
import layer
END
tsc wrong.trainspec 2>&1

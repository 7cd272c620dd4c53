# What a page says in words: single links and devices that differ, and what a step has them do.
page() {
  echo "== $1"
  shift
  trainspec topo --format html "$@" _topology.ts | sed -n '/<body>/,/class="cluster"/p' |
    grep -o '<h1>[^<]*\|<div><span>.*</small>\|<th scope="row">.*</td>\|<p class="hint">.*\|^<title>[^<]*' | sed 's/<[^>]*>/ /g'
}
page 'a slow link, one that failed, a slow device' -D dp=4 -D 'cluster=rail_clos(nodes: 16, pod: 8, kind: h100_sxm, nvlink: 450 GB/s, nic: 400 Gb/s, oversubscription: 2) with { link gpu[3, 1] <-> leaf[0, 1] { bandwidth = 200 Gb/s }, link gpu[5, 2] <-> leaf[0, 2] { failed = true }, gpu[3, 4] { speed = 0.5 } }'
page 'two kinds of links that are meant' -D dp=4 -D 'cluster=v100_mesh(nodes: 2)' 2>/dev/null
page '10,240 devices' -D dp=4 -D 'cluster=rail_clos(nodes: 1280, kind: h100_sxm, nvlink: 450 GB/s, nic: 400 Gb/s)'
page 'a step' --run -D dp=64 -D 'cluster=fat_tree(nodes: 8, kind: h100_sxm, nvlink: 450 GB/s, nic: 400 Gb/s, oversubscription: 4)'

refused() {
  printf '%s' "$2" >"$scratch/node.xml"
  echo "== $1"
  trainspec topo -D dp=1 -D "cluster=nccl_nodes(\"$scratch/node.xml\", kind: h100_sxm)" _topology.ts 2>&1 | grep -a 'line [0-9]' | sed 's/^[ |^]*//'
}
refused 'no XML' 'GPU0 GPU1 X NV18'
refused 'cut in an element' '<system version="1">
<cpu numaid="0"'
refused 'cut between elements' '<system version="1">
<cpu numaid="0">
'
refused 'crossed' '<system version="1"><cpu>
</system></cpu>'
refused 'entities that grow' '<!DOCTYPE system [
<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<system version="&b;"></system>'
refused 'another file of entities' '<!DOCTYPE system [<!ENTITY a SYSTEM "/etc/passwd">]><system version="1">&a;</system>'
deep=$(printf '<pci>%.0s' $(seq 70))
refused 'too deep' "<system version=\"1\"><cpu>$deep"
refused 'another version' '<system version="2"></system>'
refused 'another file' '<lstopo version="1"></lstopo>'
refused 'no GPU' '<system version="1"><cpu/></system>'
refused 'a GPU outside of PCIe' '<system version="1">
<cpu><gpu dev="0" sm="90"/></cpu></system>'
refused 'a number that is none' '<system version="1"><cpu>
<pci busid="a" link_width="x16"><gpu dev="0" sm="90"/></pci></cpu></system>'
refused 'two GPUs of a number' '<system version="1"><cpu><pci><gpu dev="0"/></pci>
<pci><gpu dev="0"/></pci></cpu></system>'
refused 'a link to itself' '<system version="1"><cpu><pci busid="a"><gpu dev="0">

<nvlink target="a" count="1" tclass="0x030200"/></gpu></pci></cpu></system>'

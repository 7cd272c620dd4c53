# Clusters from descriptions of others: what is read, link by link.
cp _described.ts _node.xml "$scratch" && cd "$scratch"
read() { echo "== $1"; trainspec topo "${@:2}" -D "file=\"$1\"" _described.ts 2>&1; }
cat >simai.topo <<'T'
9 2 2 3 10 ToyGPU
4 5 6 7 8
0 4 1600Gbps 0.000025ms 0
1 4 1600Gbps 0.000025ms 0
2 5 1600Gbps 0.000025ms 0
3 5 1600Gbps 0.000025ms 0
0 6 200Gbps 0.0005ms 0
2 6 100Gbps 0.0005ms 0
1 7 200Gbps 0.0005ms 0
3 7 200Gbps 0.0005ms 0
6 8 400Gbps 0.0005ms 0
7 8 400Gbps 0.0005ms 0.001
T
read simai.topo
cat >graph.json <<'T'
{"directed": true, "nodes": [{"id": "gpu0"}, {"id": "gpu1"}, {"id": "sw", "type": "switch"}],
 "links": [{"source": "gpu0", "target": "sw", "bandwidth": "50 GB/s", "latency": "2 us"}, {"source": "sw", "target": "gpu0", "bandwidth": 200},
           {"source": "gpu1", "target": "sw", "bandwidth": 400}, {"source": "sw", "target": "gpu1", "bandwidth": 400}]}
T
read graph.json -D dp=2
cat >graph.yaml <<'T'
nodes: [gpu0, gpu1, leaf]
edges:
  - {from: gpu0, to: leaf, rate: 100 Gb/s, count: 2}
  - {from: leaf, to: gpu1, rate: 100, delay: 1.5}
T
read graph.yaml -D dp=2
printf '# of the switches, cable by cable\nfrom,to,bandwidth,latency,tier\nhost1,leaf1,400Gbps,,\nhost1,leaf2,400Gbps,,\nhost2,leaf1,200Gbps,,\nhost2,leaf2,400Gbps,,\nleaf1,spine,800Gbps,500ns,\nleaf1,spine,800Gbps,,\nleaf2,spine,800Gbps,,3\n' >cables.csv
read cables.csv -D dp=8 -D 'room={ gpus: 4, nvlink: 450 GB/s }'
cat >graph.graphml <<'T'
<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d0" for="edge" attr.name="bandwidth" attr.type="double"/><key id="d1" for="node" attr.name="type" attr.type="string"/>
  <graph edgedefault="undirected">
    <node id="a"><data key="d1">gpu</data></node> <node id="b"><data key="d1">gpu</data></node> <node id="c"/>
    <edge source="a" target="c"><data key="d0">25</data></edge>
    <edge source="c" target="b"><data key="d0">12.5</data></edge>
  </graph>
</graphml>
T
read graph.graphml -D dp=2 -D 'room={ rate: 1 GB/s }'
cat >fabric.txt <<'T'
# Topology file: generated on Mon Nov  2 10:00:00 2026
vendid=0x2c9
switchguid=0xb83fd2(b83fd2)
Switch	41 "S-b83fd2"		# "MF0;leaf1:MQM9700/U1" enhanced port 0 lid 3 lmc 0
[1]	"H-aa01"[1](aa01) 		# "n001 mlx5_0" lid 5 4xNDR
[2]	"H-aa02"[1](aa02) 		# "n002 mlx5_0" lid 6 4xHDR
[40]	"S-c00001"[1]		# "MF0;spine" lid 4 4xNDR
[41]	"S-c00001"[2]		# "MF0;spine" lid 4 4xNDR

Switch	41 "S-c00001"		# "MF0;spine" enhanced port 0 lid 4 lmc 0
[1]	"S-b83fd2"[40]		# "MF0;leaf1:MQM9700/U1" lid 3 4xNDR
[2]	"S-b83fd2"[41]		# "MF0;leaf1:MQM9700/U1" lid 3 4xNDR
[9]	"H-ff01"[1](ff01) 		# "login mlx5_0" lid 9 4xHDR

vendid=0x2c9
Ca	1 "H-aa01"		# "n001 mlx5_0"
[1](aa01) 	"S-b83fd2"[1]		# lid 5 lmc 0 "MF0;leaf1:MQM9700/U1" lid 3 4xNDR

Ca	1 "H-aa02"		# "n002 mlx5_0"
[1](aa02) 	"S-b83fd2"[2]		# lid 6 lmc 0 "MF0;leaf1:MQM9700/U1" lid 3 4xHDR

Ca	1 "H-ff01"		# "login mlx5_0"
[1](ff01) 	"S-c00001"[9]		# lid 9 lmc 0 "MF0;spine" lid 4 4xHDR
T
read fabric.txt -D dp=4 -D 'room={ gpus: 2, hosts: "n0*", nvlink: 450 GB/s }'
printf '# topology.conf\nSwitchName=leaf1 Nodes=n[01-03],m7\nSwitchName=leaf2 Nodes=n[08,10-11]-ib\nSwitchName=top Switches=leaf[1-2]\n' >topology.conf
read topology.conf -D dp=8 -D 'room={ gpus: 8, nvlink: 450 GB/s, nic: 400 Gb/s, oversubscription: 2 }'
cat >matrix.txt <<'T'
	GPU0	GPU1	GPU2	GPU3	NIC0	NIC1	CPU Affinity	NUMA Affinity	GPU NUMA ID
GPU0	 X 	NV4	PIX	SYS	PIX	SYS	0-23	0		N/A
GPU1	NV4	 X 	PHB	SYS	PHB	SYS	0-23	0		N/A
GPU2	PIX	PHB	 X 	NV2	PIX	SYS	0-23	0		N/A
GPU3	SYS	SYS	NV2	 X 	SYS	PXB	24-47	1		N/A
NIC0	PIX	PHB	PIX	SYS	 X 	SYS
NIC1	SYS	SYS	SYS	PXB	SYS	 X

Legend:

  X    = Self
  SYS  = Connection traversing PCIe as well as the SMP interconnect between NUMA nodes (e.g., QPI/UPI)
T
read matrix.txt -D dp=8 -D 'room={ nodes: 2, nvlink: 25 GB/s, nic: 200 Gb/s }'
read _node.xml -D dp=4

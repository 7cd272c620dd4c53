# Settings of SimAI's packets, and those that are not played.
cp _simai_conf.ts "$scratch" && cd "$scratch"
conf() { cat <<T
ENABLE_QCN 1
PACKET_PAYLOAD_SIZE 9000

CC_MODE ${1:-1}
RATE_DECREASE_INTERVAL 4
RP_TIMER 900 
EWMA_GAIN 0.00390625
ERROR_RATE_PER_LINK ${2:-0.0000}
U_TARGET 0.95
LINK_DOWN ${3:-0 0 0}
KMAX_MAP 2 100000000000 1600 400000000000 3200
KMIN_MAP 2 100000000000 400 400000000000 800
PMAX_MAP 2 100000000000 0.2 400000000000 0.4
BUFFER_SIZE ${4-16}
T
}
read() { echo "== $1"; tsc -S -o - "${@:2}" _simai_conf.ts 2>&1 | grep -E '^net_model|^error|\^\^' | sed 's/ at std.*//; s/^[ |^]*//'; }
conf >a.conf; read ports_of_400; read ports_of_100 -D 'nic=100 Gb/s'; read ports_of_200 -D 'nic=200 Gb/s'
conf 3 >a.conf; read hpcc
conf 7 >a.conf; read timely
conf 8 >a.conf; read dctcp
conf 10 >a.conf; read pint
conf 1 0.1 >a.conf; read losses
conf 1 0 '2000 1 2' >a.conf; read down
conf 1 0 '0 0 0' 'large' >a.conf; read no_number
conf 1 0 '0 0 0' '' >a.conf; read no_value
: >a.conf; read empty
printf '\377' >a.conf; read bytes

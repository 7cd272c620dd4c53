# Long.
./machines.sh bf16 machine_a100 machine_a100_40g machine_h100 machine_h100_500w machine_h200 machine_h200_nvl machine_h20 machine_gh200 machine_rtx_pro_6000 machine_b200 machine_b300 machine_gb200 machine_gb300 machine_l40s machine_mi300x machine_mi325x machine_mi350x machine_mi355x machine_gaudi2 machine_gaudi3 machine_v5e machine_v5p machine_v6e machine_7x &&
./machines.sh fp8 machine_h100 machine_h100_500w machine_h200 machine_h200_nvl machine_h20 machine_gh200 machine_rtx_pro_6000 machine_b200 machine_b300 machine_gb200 machine_gb300 machine_l40s machine_mi300x machine_mi325x machine_mi350x machine_mi355x machine_gaudi2 machine_gaudi3 machine_v5e machine_v5p machine_v6e machine_7x &&
./machines.sh nvfp4 machine_b200 machine_b300 machine_gb200 machine_gb300 &&
./machines.sh mxfp8 machine_b200 machine_b300 machine_gb200 machine_gb300

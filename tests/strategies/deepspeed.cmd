./deepspeed.sh

./hf.sh

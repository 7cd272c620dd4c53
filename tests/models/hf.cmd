./hf.sh && ./same.sh

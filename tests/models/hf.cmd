# Every fourth configuration; hf-rest has the others.
./hf.sh 'NR % 4 == 1' && ./same.sh

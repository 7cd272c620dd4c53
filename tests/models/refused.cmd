./refused.sh _refused.txt

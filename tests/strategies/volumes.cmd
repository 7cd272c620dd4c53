./volumes.sh

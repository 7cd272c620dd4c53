./every.sh

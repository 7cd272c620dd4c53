./bounded.sh

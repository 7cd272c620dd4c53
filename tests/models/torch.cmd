./torch.sh 'NR > 1'

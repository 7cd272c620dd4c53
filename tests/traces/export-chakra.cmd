trainspec export -o $scratch/job ../engine/two_stages.tsir && cd $scratch && trainspec trace job.0.et && cat job.groups.json

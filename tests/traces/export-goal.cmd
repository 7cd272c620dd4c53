trainspec export --format=goal -o $scratch/job.goal ../engine/two_stages.tsir && cat $scratch/job.goal

trainspec trace _schedule.goal && trainspec replay --machine 400T:3T:4G:1us _schedule.goal

tsc --emit=schedule-csv ../../examples/schedule_lab.ts -D 'schedule=dual_pipe_v(p: 2, m: 4)'

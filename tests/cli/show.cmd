# What is declared, what is built in, modules; a name that nobody knows.
trainspec show mine _discover.ts; trainspec show --brief again _discover.ts; trainspec show _discover.ts _discover.ts; trainspec show --brief HfArguments; trainspec show --brief aws_2026_11 | grep -v stands
for name in roofline Host Axis; do trainspec show $name; done; trainspec show --brief llama3_70b | grep -v stands; trainspec show std.schedules.single; trainspec show schedules.single | head -1
trainspec show h100_sxn; trainspec show

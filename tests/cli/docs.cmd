. ./_docs.sh
page tutorial.md
page getting_started.md
page sweeps.md
page python.md
page json.md
page schedules.md
page ../README.md

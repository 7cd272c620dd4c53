# For shells and editors. Lists: ./dev sources.


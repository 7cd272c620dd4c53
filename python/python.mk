# The library in Python, a package of its own (pip install ./python). Lists: ./dev sources.

#: EXTRA_DIST += python/*.toml python/*.py python/*.md python/trainspec/* python/tests/*.py
EXTRA_DIST +=


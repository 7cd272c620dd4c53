# The library in Python, a package of its own (pip install ./python). Lists: ./dev sources.

#: EXTRA_DIST += python/*.toml python/*.py python/*.md python/trainspec/* python/tests/*.py
EXTRA_DIST += \
	python/README.md \
	python/backend.py \
	python/pyproject.toml \
	python/tests/test_limits.py \
	python/tests/test_trainspec.py \
	python/trainspec/__init__.py \
	python/trainspec/_library.py \
	python/trainspec/messages.py \
	python/trainspec/plan.py \
	python/trainspec/py.typed \
	python/trainspec/result.py \
	python/trainspec/sweep.py \
	python/trainspec/units.py \
	python/trainspec/workspace.py


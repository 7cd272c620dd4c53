# The library in Python, a package of its own (pip install ./packages/python). Lists: ./dev sources.

#: EXTRA_DIST += packages/python/*.toml packages/python/*.py packages/python/*.md packages/python/trainspec/* packages/python/tests/*.py
EXTRA_DIST += \
	packages/python/README.md \
	packages/python/backend.py \
	packages/python/pyproject.toml \
	packages/python/tests/test_inside.py \
	packages/python/tests/test_limits.py \
	packages/python/tests/test_trainspec.py \
	packages/python/trainspec/__init__.py \
	packages/python/trainspec/_library.py \
	packages/python/trainspec/inside.py \
	packages/python/trainspec/messages.py \
	packages/python/trainspec/plan.py \
	packages/python/trainspec/py.typed \
	packages/python/trainspec/registry.py \
	packages/python/trainspec/result.py \
	packages/python/trainspec/sweep.py \
	packages/python/trainspec/units.py \
	packages/python/trainspec/workspace.py


# The page that plays plans in a browser (./dev wasm, doc/playground.md). Lists: ./dev sources.

#: EXTRA_DIST += packages/playground/*
EXTRA_DIST += \
	packages/playground/absent.c \
	packages/playground/assist.js \
	packages/playground/build.sh \
	packages/playground/editor.js \
	packages/playground/engine.js \
	packages/playground/index.html \
	packages/playground/lab.js \
	packages/playground/lab.ts \
	packages/playground/language.js \
	packages/playground/machine.js \
	packages/playground/plan.js \
	packages/playground/playground.mk \
	packages/playground/share.js \
	packages/playground/site.mjs \
	packages/playground/start.js \
	packages/playground/style.css \
	packages/playground/worker.js


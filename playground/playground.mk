# The page that plays plans in a browser (./dev wasm, doc/playground.md). Lists: ./dev sources.

#: EXTRA_DIST += playground/*
EXTRA_DIST += \
	playground/absent.c \
	playground/assist.js \
	playground/build.sh \
	playground/editor.js \
	playground/engine.js \
	playground/index.html \
	playground/lab.js \
	playground/lab.ts \
	playground/language.js \
	playground/machine.js \
	playground/plan.js \
	playground/playground.mk \
	playground/share.js \
	playground/site.mjs \
	playground/start.js \
	playground/style.css \
	playground/worker.js


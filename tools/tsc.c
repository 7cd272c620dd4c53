#include "tools/programs.h"

int main(int argc, char **argv) { return ts_tsc_main(argc, argv); }

#include "tools/programs.h"

int main(int argc, char **argv) { return ts_tsfmt_main(argc, argv); }

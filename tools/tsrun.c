#include "tools/programs.h"

int main(int argc, char **argv) { return ts_tsrun_main(argc, argv); }

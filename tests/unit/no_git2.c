/* A stand-in for libgit2, which Criterion calls to print how two texts differ. No test of ours asks for that, and the real one brings sixteen
   libraries (SSH, TLS, Kerberos), which each case would load. */
#include <stdlib.h>

int git_libgit2_init(void);
int git_libgit2_shutdown(void);
int git_diff_buffers(void);

int git_libgit2_init(void) { return 1; }

int git_libgit2_shutdown(void) { return 0; }

int git_diff_buffers(void) { abort(); }

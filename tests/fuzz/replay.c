/* Feeds files to a fuzz target, for builds without a fuzzer: the corpus is replayed by the ordinary tests. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Each input in a buffer of its own size, so that a read past its end is seen. */
static int replay(const char *path) {
  FILE *in = fopen(path, "rb");
  if (!in) return perror(path), 4;
  fseek(in, 0, SEEK_END);
  long size = ftell(in);
  rewind(in);
  uint8_t *bytes = malloc(size > 0 ? (size_t)size : 1);
  size_t got = bytes && size > 0 ? fread(bytes, 1, (size_t)size, in) : 0;
  fclose(in);
  printf("# %s\n", path);
  fflush(stdout);
  if (bytes) LLVMFuzzerTestOneInput(bytes, got);
  free(bytes);
  return 0;
}

int main(int argc, char **argv) {
  LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
  for (int i = 1; i < argc; i++) {
    int status = replay(argv[i]);
    if (status) return status;
  }
  return 0;
}

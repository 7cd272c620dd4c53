/* Feeds files to a fuzz target, for builds without a fuzzer: the corpus is replayed by the ordinary
 * tests, and some changes of each file by the mutator that the target may have: 6, or
 * TS_FUZZ_MUTANTS. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed)
  __attribute__((weak));

/* Of libFuzzer, for mutators that leave bytes to it. */
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t most);
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t most) {
  (void)most;
  if (size) bytes[size / 2] ^= 1;
  return size;
}

/* Each input in a buffer of its own size, so that a read past its end is seen. */
static void run(const uint8_t *bytes, size_t size) {
  uint8_t *own = malloc(size ? size : 1);
  if (!own) return;
  if (size) memcpy(own, bytes, size);
  LLVMFuzzerTestOneInput(own, size);
  free(own);
}

static void mutate(const uint8_t *bytes, size_t size) {
  const char *requested = getenv("TS_FUZZ_MUTANTS");
  unsigned mutants = requested ? (unsigned)strtoul(requested, NULL, 10) : 6;
  size_t most = 2 * size + 64;
  uint8_t *mutant = malloc(most);
  for (unsigned seed = 1; mutant && seed <= mutants; seed++) {
    if (size) memcpy(mutant, bytes, size);
    run(mutant, LLVMFuzzerCustomMutator(mutant, size, most, seed));
  }
  free(mutant);
}

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
  if (bytes) run(bytes, got);
  if (bytes && LLVMFuzzerCustomMutator) mutate(bytes, got);
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

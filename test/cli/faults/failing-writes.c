// Preloaded into a command on Linux: counts what it does to the files whose path begins with FAULT_PATH, and makes one of
// these steps go wrong. Steps are writes, truncations and syncs. FAULT_COUNT names a file that gets the count, as a number.
// At step FAULT_AT, from 1 on: "fails" and all later steps fail with EIO, "once" and only this one does, "short" and half of
// what is written arrives before the disk is full, "kill" and the process is killed before the step, "torn" halfway in it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(name, result, ...) ((result(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name))

static int step;

static int is(const char *kind) {
  const char *wanted = getenv("FAULT_KIND");
  return wanted != NULL && strcmp(wanted, kind) == 0;
}

static int is_watched(int file) {
  const char *path = getenv("FAULT_PATH");
  char link[64], target[4096];
  if (path == NULL) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, target, sizeof target - 1);
  if (length < 0) return 0;
  target[length] = 0;
  return strncmp(target, path, strlen(path)) == 0;
}

static void note(void) {
  const char *path = getenv("FAULT_COUNT");
  if (path == NULL) return;
  int file = open(path, O_WRONLY | O_CREAT, 0600);
  char text[32];
  int length = snprintf(text, sizeof text, "%d", step);
  REAL("write", ssize_t, int, const void *, size_t)(file, text, length);
  close(file);
}

// Whether the step goes wrong. `*bytes` becomes what still arrives.
static int goes_wrong(int file, size_t *bytes) {
  if (!is_watched(file)) return 0;
  step++;
  note();
  const char *text = getenv("FAULT_AT");
  int at = text == NULL ? 0 : atoi(text);
  if (at == 0 || step < at) return 0;
  if (step > at && (is("once") || is("short"))) return 0;
  if (is("kill")) raise(SIGKILL);
  *bytes = is("short") || is("torn") ? *bytes / 2 : 0;
  return 1;
}

static ssize_t failed(void) {
  if (is("torn")) raise(SIGKILL);
  errno = is("short") ? ENOSPC : EIO;
  return -1;
}

ssize_t pwrite64(int file, const void *buffer, size_t bytes, off64_t at) {
  ssize_t (*real)(int, const void *, size_t, off64_t) = REAL("pwrite64", ssize_t, int, const void *, size_t, off64_t);
  if (!goes_wrong(file, &bytes)) return real(file, buffer, bytes, at);
  if (bytes > 0) real(file, buffer, bytes, at);
  return failed();
}

ssize_t write(int file, const void *buffer, size_t bytes) {
  ssize_t (*real)(int, const void *, size_t) = REAL("write", ssize_t, int, const void *, size_t);
  if (!goes_wrong(file, &bytes)) return real(file, buffer, bytes);
  if (bytes > 0) real(file, buffer, bytes);
  return failed();
}

static int without_bytes(const char *name, int file) {
  size_t none = 0;
  return goes_wrong(file, &none) ? (int)failed() : REAL(name, int, int)(file);
}

int fsync(int file) { return without_bytes("fsync", file); }
int fdatasync(int file) { return without_bytes("fdatasync", file); }

int ftruncate64(int file, off64_t length) {
  size_t none = 0;
  return goes_wrong(file, &none) ? (int)failed() : REAL("ftruncate64", int, int, off64_t)(file, length);
}
int ftruncate(int file, off_t length) { return ftruncate64(file, length); }

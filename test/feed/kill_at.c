/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded into a process: ends it, as kill -9 does, right before its KILL_AT-th call that makes, renames, links or removes
 * a file or folder. At a normal end the number of such calls is written to the file KILL_COUNT, when that is set. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_int calls;

static void step(void) {
  const char *at = getenv("KILL_AT");
  const int now = atomic_fetch_add(&calls, 1) + 1;
  if (at != NULL && atoi(at) == now) kill(getpid(), SIGKILL);
}

__attribute__((destructor)) static void tell(void) {
  const char *path = getenv("KILL_COUNT");
  FILE *file = path == NULL ? NULL : fopen(path, "w");
  if (file == NULL) return;
  fprintf(file, "%d", atomic_load(&calls));
  fclose(file);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int rename(const char *from, const char *to) { return step(), NEXT(rename)(from, to); }
int link(const char *from, const char *to) { return step(), NEXT(link)(from, to); }
int unlink(const char *path) { return step(), NEXT(unlink)(path); }
int remove(const char *path) { return step(), NEXT(remove)(path); }
int mkdir(const char *path, mode_t mode) { return step(), NEXT(mkdir)(path, mode); }

#define OPEN(name)                                 \
  int name(const char *path, int flags, ...) {     \
    va_list list;                                  \
    va_start(list, flags);                         \
    const mode_t mode = va_arg(list, mode_t);      \
    va_end(list);                                  \
    if (flags & O_CREAT) step();                   \
    return NEXT(name)(path, flags, mode);          \
  }

OPEN(open)
OPEN(open64)

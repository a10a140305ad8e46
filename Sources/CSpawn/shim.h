#ifndef ACCREC_SPAWN_SHIM_H
#define ACCREC_SPAWN_SHIM_H

#include <spawn.h>
#include <sys/syscall.h>
#include <unistd.h>

// Declared by the C library's headers only with _GNU_SOURCE, which Swift does not define.
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);
int memfd_create(const char *name, unsigned int flags);

// A descriptor that is readable once the process has ended. In the C library only since 2.36.
static inline int accrec_pidfd_open(pid_t process) {
	return (int)syscall(SYS_pidfd_open, process, 0);
}

// Swift does not let a concurrent program use a global variable.
extern char **environ;

static inline char **accrec_environment(void) {
	return environ;
}

#endif

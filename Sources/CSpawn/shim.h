#ifndef ACCREC_SPAWN_SHIM_H
#define ACCREC_SPAWN_SHIM_H

#include <spawn.h>

// Declared by the C library's headers only with _GNU_SOURCE, which Swift does not define.
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);

#endif

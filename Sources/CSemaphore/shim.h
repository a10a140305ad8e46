#ifndef ACCREC_SEMAPHORE_SHIM_H
#define ACCREC_SEMAPHORE_SHIM_H

// Declared by glibc (since 2.30) only with _GNU_SOURCE, which Swift does not define. `semaphore` is a sem_t, `deadline` a
// struct timespec. No header is included, because Swift would assign its types to this module.
int sem_clockwait(void *semaphore, int clock, const void *deadline);

#endif

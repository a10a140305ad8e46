#ifndef ACCREC_SEMAPHORE_SHIM_H
#define ACCREC_SEMAPHORE_SHIM_H

#include <semaphore.h>
#include <time.h>

// The C library has it (glibc 2.30), and Swift's view of its headers (without _GNU_SOURCE) has not.
int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *deadline);

#endif

#ifndef ACCREC_SEMAPHORE_SHIM_H
#define ACCREC_SEMAPHORE_SHIM_H

// The C library has it (glibc 2.30), and Swift's view of its headers (without _GNU_SOURCE) has not: of a semaphore, which
// waits until a time of a clock, a struct timespec. No header is included, for its types would be taken for this module's.
int sem_clockwait(void *semaphore, int clock, const void *deadline);

#endif

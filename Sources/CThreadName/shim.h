#ifndef ACCREC_THREAD_NAME_SHIM_H
#define ACCREC_THREAD_NAME_SHIM_H

// The C library has it, and Swift's view of its headers (without _GNU_SOURCE) has not.
int pthread_setname_np(unsigned long thread, const char *name);

#endif

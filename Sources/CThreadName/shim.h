#ifndef ACCREC_THREAD_NAME_SHIM_H
#define ACCREC_THREAD_NAME_SHIM_H

// Declared by the C library's headers only with _GNU_SOURCE, which Swift does not define.
int pthread_setname_np(unsigned long thread, const char *name);

#endif

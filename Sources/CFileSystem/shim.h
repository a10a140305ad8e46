#ifndef ACCREC_FILE_SYSTEM_SHIM_H
#define ACCREC_FILE_SYSTEM_SHIM_H

// statfs, which Swift's module of glibc leaves out.
#include <sys/vfs.h>

#endif

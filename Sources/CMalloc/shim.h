#ifndef ACCREC_MALLOC_SHIM_H
#define ACCREC_MALLOC_SHIM_H

// Not in Swift's module of the C library.
#include <malloc.h>

#endif

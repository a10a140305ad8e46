#ifndef ACCREC_CCALLGRIND_SHIM_H
#define ACCREC_CCALLGRIND_SHIM_H

#include <valgrind/callgrind.h>

/* The header's macro is assembly, which Swift's importer does not see. */
static inline void accrec_callgrind_toggle_collect(void)
{
    CALLGRIND_TOGGLE_COLLECT;
}

#endif

#ifndef ACCREC_LINK_SHIM_H
#define ACCREC_LINK_SHIM_H

// Without it, link.h lacks dl_iterate_phdr.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <link.h>

#endif

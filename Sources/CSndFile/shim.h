#ifndef ACCREC_CSNDFILE_SHIM_H
#define ACCREC_CSNDFILE_SHIM_H

#if !__has_include(<sndfile.h>)
#error "<sndfile.h> is missing. Install its package: apt install libsndfile1-dev"
#endif

#include <sndfile.h>

#endif

#ifndef ACCREC_CSAMPLERATE_SHIM_H
#define ACCREC_CSAMPLERATE_SHIM_H

#if !__has_include(<samplerate.h>)
#error "<samplerate.h> is missing. Install its package: apt install libsamplerate0-dev"
#endif

#include <samplerate.h>

#endif

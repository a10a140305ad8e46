#ifndef ACCREC_CSAMPLERATE_SHIM_H
#define ACCREC_CSAMPLERATE_SHIM_H

#include <samplerate.h>

#endif

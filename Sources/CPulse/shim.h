#ifndef ACCREC_CPULSE_SHIM_H
#define ACCREC_CPULSE_SHIM_H

#include <pulse/pulseaudio.h>
#include <pulse/simple.h>

/* Swift cannot import the header's macro, which casts -1. */
static const uint32_t accrec_pa_invalid_index = PA_INVALID_INDEX;

#endif

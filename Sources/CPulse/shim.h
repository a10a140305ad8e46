#ifndef ACCREC_CPULSE_SHIM_H
#define ACCREC_CPULSE_SHIM_H

#if !__has_include(<pulse/pulseaudio.h>)
#error "<pulse/pulseaudio.h> is missing. Install its package: apt install libpulse-dev"
#endif

#include <pulse/pulseaudio.h>
#include <pulse/simple.h>

/* Swift cannot import the header's macro, which casts -1. */
static const uint32_t accrec_pa_invalid_index = PA_INVALID_INDEX;

#endif

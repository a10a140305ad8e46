#ifndef ACCREC_CPULSE_SHIM_H
#define ACCREC_CPULSE_SHIM_H

#include <pulse/pulseaudio.h>
#include <pulse/simple.h>

/* The header's macro casts -1, which Swift's importer does not evaluate. */
static const uint32_t accrec_pa_invalid_index = PA_INVALID_INDEX;

#endif

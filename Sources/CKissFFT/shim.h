#ifndef ACCREC_CKISSFFT_SHIM_H
#define ACCREC_CKISSFFT_SHIM_H

#if !__has_include(<kissfft/kiss_fftr.h>)
#error "<kissfft/kiss_fftr.h> is missing. Install its package: apt install libkissfft-dev"
#endif

#include <kissfft/kiss_fftr.h>

#endif

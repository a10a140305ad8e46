#ifndef ACCREC_CSNDFILE_SHIM_H
#define ACCREC_CSNDFILE_SHIM_H

#include <sndfile.h>

#endif

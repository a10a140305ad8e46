#ifndef ACCREC_WIDE_CHARACTER_SHIM_H
#define ACCREC_WIDE_CHARACTER_SHIM_H

// Declared by the C library's headers only with _XOPEN_SOURCE, which Swift does not define.
int wcwidth(__WCHAR_TYPE__ character);

#endif

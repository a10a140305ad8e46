#ifndef ACCREC_WIDE_CHARACTER_SHIM_H
#define ACCREC_WIDE_CHARACTER_SHIM_H

// The C library has it, and Swift's view of its headers (without _XOPEN_SOURCE) has not.
int wcwidth(__WCHAR_TYPE__ character);

#endif

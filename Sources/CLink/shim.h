#ifndef ACCREC_LINK_SHIM_H
#define ACCREC_LINK_SHIM_H

#include <elf.h>

// Declared by link.h only with _GNU_SOURCE, with which other modules would see other versions of system types.
struct dl_phdr_info {
#if __LP64__
    Elf64_Addr dlpi_addr;
    const char *dlpi_name;
    const Elf64_Phdr *dlpi_phdr;
    Elf64_Half dlpi_phnum;
#else
    Elf32_Addr dlpi_addr;
    const char *dlpi_name;
    const Elf32_Phdr *dlpi_phdr;
    Elf32_Half dlpi_phnum;
#endif
};
int dl_iterate_phdr(int (*visit)(struct dl_phdr_info *object, unsigned long size, void *data), void *data);

#endif

#ifndef ACCREC_FILE_SYSTEM_SHIM_H
#define ACCREC_FILE_SYSTEM_SHIM_H

// statfs, which Swift's module of glibc leaves out.
#include <sys/vfs.h>

#include <fcntl.h>
#include <linux/stat.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/// When a file was created, in nanoseconds since 1970; 0 if there is none, or its file system does not tell. Does not follow a
/// symbolic link. Swift's module of glibc leaves out statx.
static inline int64_t accrec_birth_time(const char *path) {
    struct statx status;
    if (syscall(SYS_statx, AT_FDCWD, path, 0x100 /* AT_SYMLINK_NOFOLLOW */, STATX_BTIME, &status) != 0) return 0;
    if (!(status.stx_mask & STATX_BTIME)) return 0;
    return status.stx_btime.tv_sec * 1000000000 + status.stx_btime.tv_nsec;
}

/// Writes bytes at the descriptor's position without waiting, whether or not it is non-blocking: fails with EAGAIN where that is not
/// possible now, and with EOPNOTSUPP where it never is. glibc declares pwritev2 only with _GNU_SOURCE, which Swift does not define.
static inline ssize_t accrec_write_without_waiting(int descriptor, const void *bytes, size_t count) {
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
    return syscall(SYS_pwritev2, descriptor, &part, 1, -1L, -1L, 0x8 /* RWF_NOWAIT */);
}

#endif

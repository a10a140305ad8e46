/*
 * Preloaded into a program, simulates a disk that fails or hangs. The file DISK_STATE holds three 32-bit integers that
 * may change at any time: the errno with which each write to a file fails, or 0; whether syncing hangs; and how often
 * the program has synced. Pipes and terminals are unaffected.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct {
    volatile int32_t failure, waits, syncs;
} *state;

__attribute__((constructor)) static void set_up(void)
{
    const char *path = getenv("DISK_STATE");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;

    state = file < 0 ? MAP_FAILED : mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (state == MAP_FAILED)
        abort();
}

static int fails(int file)
{
    struct stat status;

    if (!state->failure || fstat(file, &status) != 0 || !S_ISREG(status.st_mode))
        return 0;
    errno = state->failure;
    return 1;
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset)
{
    ssize_t (*real)(int, const void *, size_t, off_t) = dlsym(RTLD_NEXT, "pwrite");

    return fails(file) ? -1 : real(file, bytes, count, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset)
{
    return pwrite(file, bytes, count, offset);
}

ssize_t write(int file, const void *bytes, size_t count)
{
    ssize_t (*real)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");

    return fails(file) ? -1 : real(file, bytes, count);
}

int fdatasync(int file)
{
    __atomic_add_fetch(&state->syncs, 1, __ATOMIC_SEQ_CST);
    while (state->waits)
        usleep(1000);
    return fails(file) ? -1 : 0;
}

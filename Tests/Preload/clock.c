/*
 * Preloaded into a program, simulates that the machine has slept: CLOCK_BOOTTIME is ahead by the seconds in the file
 * CLOCK_SHIFT, a 32-bit integer, which may change at any time. Other clocks are unaffected.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

static int (*real_clock_gettime)(clockid_t, struct timespec *);
static const volatile int32_t *shift;

__attribute__((constructor)) static void set_up(void)
{
    const char *path = getenv("CLOCK_SHIFT");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    void *map = file < 0 ? MAP_FAILED : mmap(NULL, sizeof *shift, PROT_READ, MAP_SHARED, file, 0);

    if (map == MAP_FAILED)
        abort();
    shift = map;
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    int status;

    if (!real_clock_gettime)
        real_clock_gettime = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    status = real_clock_gettime(clock, time);
    if (status == 0 && shift && clock == CLOCK_BOOTTIME)
        time->tv_sec += *shift;
    return status;
}

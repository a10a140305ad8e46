/*
 * Preloaded into a program, simulates that the machine has slept or its clock was set: CLOCK_BOOTTIME and
 * CLOCK_REALTIME are ahead by the seconds in the file CLOCK_SHIFTS, a 32-bit integer for each in this order, which may
 * change at any time. Other clocks are unaffected.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

static int (*real_clock_gettime)(clockid_t, struct timespec *);
static const volatile int32_t *shifts;

__attribute__((constructor)) static void set_up(void)
{
    const char *path = getenv("CLOCK_SHIFTS");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    void *map = file < 0 ? MAP_FAILED : mmap(NULL, 2 * sizeof *shifts, PROT_READ, MAP_SHARED, file, 0);

    if (map == MAP_FAILED)
        abort();
    shifts = map;
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    int status;

    if (!real_clock_gettime)
        real_clock_gettime = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    status = real_clock_gettime(clock, time);
    if (status == 0 && shifts && clock == CLOCK_BOOTTIME)
        time->tv_sec += shifts[0];
    if (status == 0 && shifts && clock == CLOCK_REALTIME)
        time->tv_sec += shifts[1];
    return status;
}

/*
 * Runs a command and reports its resource usage, including its children. Each measurement needs a process of its own,
 * because the kernel includes the peak memory of the process that started a program.
 *
 * usage: measure DESCRIPTOR COMMAND...
 *
 * Writes two lines to the descriptor: first the process ID and start time, later the end time, CPU time, peak memory,
 * context switches and status. Times are in nanoseconds of CLOCK_MONOTONIC, memory is in KiB.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static long long nanoseconds(struct timeval time)
{
    return time.tv_sec * 1000000000LL + time.tv_usec * 1000LL;
}

int main(int count, char **arguments)
{
    if (count < 3)
        return 2;
    int report = atoi(arguments[1]);
    fcntl(report, F_SETFD, FD_CLOEXEC);
    long long start = now();
    pid_t process = fork();
    if (process < 0)
        return 1;
    if (process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execvp(arguments[2], arguments + 2);
        perror(arguments[2]);
        _exit(127);
    }
    dprintf(report, "%d %lld\n", process, start);

    int status;
    struct rusage usage;
    if (wait4(process, &status, 0, &usage) != process)
        return 1;
    dprintf(
        report, "%lld %lld %ld %ld %d\n", now(), nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime),
        usage.ru_maxrss, usage.ru_nvcsw + usage.ru_nivcsw,
        WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    return 0;
}

/*
 * Runs a command and says what it took, its waited-for children included. A process of its own for each, since the
 * kernel counts as a program's peak memory also that of whatever started it.
 *
 * usage: measure DESCRIPTOR COMMAND...
 *
 * Writes two lines to the descriptor: the process and when it was started; when it ended, the CPU time that it took, its
 * peak memory, its context switches and its status. Times are in nanoseconds, of CLOCK_MONOTONIC, memory is in KiB.
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

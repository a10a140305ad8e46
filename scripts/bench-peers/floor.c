/*
 * A minimal recorder over libpulse's simple API: reads fragments and passes them to libsndfile or to standard output,
 * until SIGINT. Whatever another recorder costs beyond this is its own overhead.
 *
 * usage: floor SOURCE RATE CHANNELS wav|flac|raw [PATH]     (raw writes to standard output and has no PATH)
 */
#include <pulse/error.h>
#include <pulse/simple.h>
#include <signal.h>
#include <sndfile.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t ends;

static void note_end(int signal)
{
    (void)signal;
    ends = 1;
}

static int fail(const char *what, const char *why)
{
    fprintf(stderr, "floor: %s: %s\n", what, why);
    return 1;
}

static int write_all(const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t written = write(STDOUT_FILENO, bytes, count);
        if (written < 0)
            return 0;
        bytes += written;
        count -= written;
    }
    return 1;
}

int main(int count, char **arguments)
{
    if (count < 5)
        return fail("usage", "floor SOURCE RATE CHANNELS wav|flac|raw PATH");
    pa_sample_spec spec = {
        .format = PA_SAMPLE_S16LE, .rate = atoi(arguments[2]), .channels = atoi(arguments[3])};
    int is_raw = strcmp(arguments[4], "raw") == 0;
    int container = strcmp(arguments[4], "flac") == 0 ? SF_FORMAT_FLAC : SF_FORMAT_WAV;
    // Like accrec: 40 ms fragments, everything else left to the server.
    sf_count_t frames = spec.rate / 25;
    size_t size = frames * pa_frame_size(&spec);
    pa_buffer_attr attributes = {-1, -1, -1, -1, size};
    short *fragment = malloc(size);
    int error = 0;

    struct sigaction action = {.sa_handler = note_end};
    sigaction(SIGINT, &action, NULL);

    pa_simple *stream = pa_simple_new(
        NULL, "floor", PA_STREAM_RECORD, arguments[1], "floor", &spec, NULL, &attributes, &error);
    if (!stream)
        return fail(arguments[1], pa_strerror(error));
    SF_INFO info = {.samplerate = spec.rate, .channels = spec.channels, .format = container | SF_FORMAT_PCM_16};
    SNDFILE *file = is_raw ? NULL : sf_open(arguments[5], SFM_WRITE, &info);
    if (!is_raw && !file)
        return fail(arguments[5], sf_strerror(NULL));

    while (!ends) {
        if (pa_simple_read(stream, fragment, size, &error) < 0)
            return fail("read", pa_strerror(error));
        if (is_raw ? !write_all((char *)fragment, size) : sf_writef_short(file, fragment, frames) < frames)
            return fail("write", is_raw ? "nobody reads" : sf_strerror(file));
    }
    pa_simple_free(stream);
    if (file && sf_close(file) != 0)
        return fail("close", "the file is not complete");
    free(fragment);
    return 0;
}

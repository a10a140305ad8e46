/*
 * A minimal recorder over libpulse's asynchronous API, with one thread: collects the fragments of a pinned stream, and writes them
 * with libsndfile every 640 ms, or each to standard output, until SIGINT. It finds no lost audio, measures nothing and survives no
 * interruption. Whatever another recorder with such fragments costs beyond this is its own overhead.
 *
 * usage: floor SOURCE RATE CHANNELS LATENCY wav|flac|raw [PATH]
 *
 * LATENCY is the length of a fragment in milliseconds. Raw writes to standard output and has no PATH.
 */
#include <pulse/pulseaudio.h>
#include <signal.h>
#include <sndfile.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t ends;
static const char *source;
static pa_sample_spec spec;
static SNDFILE *file;
static char *collected;
static size_t fragment_size, collected_size, batch_size, capacity;

static void note_end(int signal)
{
    (void)signal;
    ends = 1;
}

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "floor: %s: %s\n", what, why);
    exit(1);
}

static void write_collected(void)
{
    if (file) {
        sf_count_t count = collected_size / sizeof(short);
        if (sf_write_short(file, (short *)collected, count) < count)
            fail("write", sf_strerror(file));
        sf_command(file, SFC_UPDATE_HEADER_NOW, NULL, 0);
    } else {
        for (size_t done = 0; done < collected_size;) {
            ssize_t count = write(STDOUT_FILENO, collected + done, collected_size - done);
            if (count < 0)
                fail("write", "nobody reads");
            done += count;
        }
    }
    collected_size = 0;
}

static void read_available(pa_stream *stream, size_t size, void *unused)
{
    const void *data;
    (void)unused;
    while (pa_stream_peek(stream, &data, &size) >= 0 && size > 0) {
        if (data) {
            if (collected_size + size > capacity && !(collected = realloc(collected, capacity = collected_size + size)))
                fail("memory", "none");
            memcpy(collected + collected_size, data, size);
            collected_size += size;
        }
        pa_stream_drop(stream);
    }
    if (collected_size >= batch_size)
        write_collected();
}

static void stream_changed(pa_stream *stream, void *unused)
{
    (void)unused;
    if (pa_stream_get_state(stream) == PA_STREAM_FAILED)
        fail(source, pa_strerror(pa_context_errno(pa_stream_get_context(stream))));
}

static void context_changed(pa_context *context, void *unused)
{
    (void)unused;
    if (pa_context_get_state(context) == PA_CONTEXT_FAILED)
        fail("server", pa_strerror(pa_context_errno(context)));
    if (pa_context_get_state(context) != PA_CONTEXT_READY)
        return;
    // Like accrec: everything but the fragments is left to the server.
    pa_buffer_attr attributes = {-1, -1, -1, -1, fragment_size};
    pa_stream *stream = pa_stream_new(context, "floor", &spec, NULL);
    pa_stream_set_read_callback(stream, read_available, NULL);
    pa_stream_set_state_callback(stream, stream_changed, NULL);
    pa_stream_connect_record(stream, source, &attributes, PA_STREAM_DONT_MOVE | PA_STREAM_ADJUST_LATENCY);
}

int main(int count, char **arguments)
{
    if (count < 6)
        fail("usage", "floor SOURCE RATE CHANNELS LATENCY wav|flac|raw PATH");
    source = arguments[1];
    spec = (pa_sample_spec){.format = PA_SAMPLE_S16LE, .rate = atoi(arguments[2]), .channels = atoi(arguments[3])};
    fragment_size = spec.rate * atoi(arguments[4]) / 1000 * pa_frame_size(&spec);
    int is_raw = strcmp(arguments[5], "raw") == 0;
    int container = strcmp(arguments[5], "flac") == 0 ? SF_FORMAT_FLAC : SF_FORMAT_WAV;
    SF_INFO info = {.samplerate = spec.rate, .channels = spec.channels, .format = container | SF_FORMAT_PCM_16};
    file = is_raw ? NULL : sf_open(arguments[6], SFM_WRITE, &info);
    if (!is_raw && !file)
        fail(arguments[6], sf_strerror(NULL));
    batch_size = is_raw ? 1 : spec.rate * 16 / 25 * pa_frame_size(&spec);

    struct sigaction action = {.sa_handler = note_end};
    sigaction(SIGINT, &action, NULL);
    pa_mainloop *loop = pa_mainloop_new();
    pa_context *context = pa_context_new(pa_mainloop_get_api(loop), "floor");
    pa_context_set_state_callback(context, context_changed, NULL);
    if (pa_context_connect(context, NULL, PA_CONTEXT_NOAUTOSPAWN, NULL) < 0)
        fail("server", pa_strerror(pa_context_errno(context)));
    while (!ends && pa_mainloop_iterate(loop, 1, NULL) >= 0)
        ;
    write_collected();
    if (file && sf_close(file) != 0)
        fail("close", "the file is not complete");
    return 0;
}

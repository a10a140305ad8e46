/*
 * An application that plays to a PulseAudio server, and does what it is told on standard input, so that a test can have one
 * that pauses, begins again or has several streams.
 *
 *     application NAME SIGNAL
 *
 * SIGNAL is the frequency of a sine in Hz at a quarter of full scale, whose multiples a second and a third stream play, or
 * `counter=N`, a counter that begins with N and increases by one with each frame, whatever happens: the low half in the
 * left channel and the high half in the right.
 * The lines that it understands:
 *
 *     play [TITLE]    begins a stream, and writes `playing INDEX` once the server has it
 *     pause           corks the newest stream, and writes `paused`
 *     resume          uncorks it, and writes `resumed`
 *     end             ends it, and writes `ended`
 *
 * It plays 16-bit stereo at 48 kHz, 100 ms ahead. Exits at the end of standard input.
 *
 *     cc -std=gnu11 -Wall -Wextra -O1 -o application application.c $(pkg-config --cflags --libs libpulse) -lm
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pulse/pulseaudio.h>

static const pa_sample_spec spec = {.format = PA_SAMPLE_S16LE, .rate = 48000, .channels = 2};
enum { stream_limit = 16 };

static pa_threaded_mainloop *loop;
static pa_context *context;
static pa_stream *streams[stream_limit];
static int stream_count;
static uint32_t positions[stream_limit];
static double frequency;

static void fail(const char *what)
{
    fprintf(stderr, "application: %s: %s\n", what, pa_strerror(pa_context_errno(context)));
    exit(1);
}

static void answer(const char *text)
{
    puts(text);
    fflush(stdout);
}

static void write_signal(pa_stream *stream, size_t bytes, void *userdata)
{
    ptrdiff_t number = (pa_stream **)userdata - streams;
    uint32_t position = positions[frequency > 0 ? number : 0];
    size_t frames = bytes / pa_frame_size(&spec);
    if (frames == 0) return;
    int16_t *samples = malloc(frames * pa_frame_size(&spec));
    for (size_t frame = 0; frame < frames; frame++, position++) {
        if (frequency > 0) {
            double angle = 2 * M_PI * fmod(frequency * (number + 1) * position / spec.rate, 1);
            samples[2 * frame] = samples[2 * frame + 1] = (int16_t)lrint(8192 * sin(angle));
        } else {
            samples[2 * frame] = (int16_t)(position & 0xffff);
            samples[2 * frame + 1] = (int16_t)(position >> 16);
        }
    }
    positions[frequency > 0 ? number : 0] = position;
    pa_stream_write(stream, samples, frames * pa_frame_size(&spec), free, 0, PA_SEEK_RELATIVE);
}

static void stream_changed(pa_stream *stream, void *userdata)
{
    (void)userdata;
    if (pa_stream_get_state(stream) == PA_STREAM_READY) {
        printf("playing %u\n", pa_stream_get_index(stream));
        fflush(stdout);
    }
}

static void play(const char *title)
{
    if (stream_count == stream_limit) fail("too many streams");
    pa_stream *stream = pa_stream_new(context, title, &spec, NULL);
    pa_buffer_attr attributes = {-1, spec.rate / 10 * pa_frame_size(&spec), -1, -1, -1};
    pa_stream_set_state_callback(stream, stream_changed, NULL);
    pa_stream_set_write_callback(stream, write_signal, &streams[stream_count]);
    if (pa_stream_connect_playback(stream, NULL, &attributes, PA_STREAM_ADJUST_LATENCY, NULL, NULL) < 0) fail(title);
    streams[stream_count++] = stream;
}

static void corked(pa_stream *stream, int success, void *userdata)
{
    (void)stream;
    answer(success ? userdata : "failed");
}

static void end(void)
{
    pa_stream *stream = streams[--stream_count];
    pa_stream_set_write_callback(stream, NULL, NULL);
    pa_stream_disconnect(stream);
    pa_stream_unref(stream);
    answer("ended");
}

static void obey(const char *line)
{
    pa_stream *newest = stream_count > 0 ? streams[stream_count - 1] : NULL;
    if (strncmp(line, "play", 4) == 0) {
        play(line[4] ? line + 5 : "signal");
    } else if (newest && strcmp(line, "pause") == 0) {
        pa_operation_unref(pa_stream_cork(newest, 1, corked, "paused"));
    } else if (newest && strcmp(line, "resume") == 0) {
        pa_operation_unref(pa_stream_cork(newest, 0, corked, "resumed"));
    } else if (newest && strcmp(line, "end") == 0) {
        end();
    } else {
        answer("failed");
    }
}

static void context_changed(pa_context *changed, void *userdata)
{
    (void)userdata;
    if (!PA_CONTEXT_IS_GOOD(pa_context_get_state(changed))) fail("the connection");
    pa_threaded_mainloop_signal(loop, 0);
}

int main(int count, char **arguments)
{
    if (count != 3) return 2;
    if (strncmp(arguments[2], "counter=", 8) == 0) {
        positions[0] = strtoul(arguments[2] + 8, NULL, 10);
    } else {
        frequency = atof(arguments[2]);
    }
    loop = pa_threaded_mainloop_new();
    context = pa_context_new(pa_threaded_mainloop_get_api(loop), arguments[1]);
    pa_context_set_state_callback(context, context_changed, NULL);
    if (pa_context_connect(context, NULL, 0, NULL) < 0) fail("the connection");
    pa_threaded_mainloop_start(loop);
    pa_threaded_mainloop_lock(loop);
    while (pa_context_get_state(context) != PA_CONTEXT_READY) pa_threaded_mainloop_wait(loop);
    pa_threaded_mainloop_unlock(loop);

    char line[256];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        pa_threaded_mainloop_lock(loop);
        obey(line);
        pa_threaded_mainloop_unlock(loop);
    }
    return 0;
}

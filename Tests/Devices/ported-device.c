/*
 * Adds a sound card to a PipeWire server whose microphone has two ports, so that a test can plug in a headset without
 * hardware. Sources that are loaded into a server have no ports.
 *
 *     ported-device [NAME]
 *
 * adds a mono source NAME ("headset" by default) that delivers silence, and prints `ready` once the server has it. Its
 * active port is "Internal Microphone"; SIGUSR1 plugs the headset in, which makes it "Headset Microphone", or unplugs
 * it. Exits and removes the card on SIGTERM and at the end of standard input.
 *
 *     cc -std=gnu11 -Wall -Wextra -O1 -o ported-device ported-device.c $(pkg-config --cflags --libs libpipewire-0.3)
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <pipewire/pipewire.h>
#include <spa/monitor/device.h>
#include <spa/param/profile.h>
#include <spa/param/props.h>
#include <spa/param/route.h>
#include <spa/pod/builder.h>

/* The IDs of the card's only profile and of its device for the source; they only have to be consistent. */
#define PROFILE 0
#define PROFILE_DEVICE 0

enum { internal, headset, port_count };

static const char *source_name = "headset";
static bool is_plugged_in;
static struct pw_main_loop *loop;
static struct pw_core *core;
static struct spa_hook_list listeners;

static struct spa_param_info params[] = {
    {.id = SPA_PARAM_EnumProfile, .flags = SPA_PARAM_INFO_READ},
    {.id = SPA_PARAM_Profile, .flags = SPA_PARAM_INFO_READ},
    {.id = SPA_PARAM_EnumRoute, .flags = SPA_PARAM_INFO_READ},
    {.id = SPA_PARAM_Route, .flags = SPA_PARAM_INFO_READ},
};

static struct spa_pod *build_profile(struct spa_pod_builder *builder, uint32_t id)
{
    return spa_pod_builder_add_object(builder, SPA_TYPE_OBJECT_ParamProfile, id,
        SPA_PARAM_PROFILE_index, SPA_POD_Int(PROFILE),
        SPA_PARAM_PROFILE_name, SPA_POD_String("input:microphone"));
}

/* In PulseAudio's terms, a route is a port. */
static struct spa_pod *build_route(struct spa_pod_builder *builder, uint32_t id, int port)
{
    static const char *const names[] = {"input-internal", "input-headset"};
    static const char *const descriptions[] = {"Internal Microphone", "Headset Microphone"};
    const enum spa_param_availability available[] = {
        SPA_PARAM_AVAILABILITY_unknown, is_plugged_in ? SPA_PARAM_AVAILABILITY_yes : SPA_PARAM_AVAILABILITY_no};
    const int32_t profiles[] = {PROFILE}, devices[] = {PROFILE_DEVICE};
    const float volumes[] = {1};
    struct spa_pod_frame route, props;

    spa_pod_builder_push_object(builder, &route, SPA_TYPE_OBJECT_ParamRoute, id);
    spa_pod_builder_add(builder,
        SPA_PARAM_ROUTE_index, SPA_POD_Int(port),
        SPA_PARAM_ROUTE_direction, SPA_POD_Id(SPA_DIRECTION_INPUT),
        SPA_PARAM_ROUTE_name, SPA_POD_String(names[port]),
        SPA_PARAM_ROUTE_description, SPA_POD_String(descriptions[port]),
        SPA_PARAM_ROUTE_available, SPA_POD_Id(available[port]),
        SPA_PARAM_ROUTE_profiles, SPA_POD_Array(sizeof profiles[0], SPA_TYPE_Int, 1, profiles),
        SPA_PARAM_ROUTE_devices, SPA_POD_Array(sizeof devices[0], SPA_TYPE_Int, 1, devices), 0);
    if (id == SPA_PARAM_Route) {
        spa_pod_builder_add(builder, SPA_PARAM_ROUTE_device, SPA_POD_Int(PROFILE_DEVICE), 0);
        /* Required: without it, pipewire-pulse 0.3.65 uses an uninitialised pointer. */
        spa_pod_builder_prop(builder, SPA_PARAM_ROUTE_props, 0);
        spa_pod_builder_push_object(builder, &props, SPA_TYPE_OBJECT_Props, id);
        spa_pod_builder_add(builder,
            SPA_PROP_mute, SPA_POD_Bool(false),
            SPA_PROP_channelVolumes, SPA_POD_Array(sizeof volumes[0], SPA_TYPE_Float, 1, volumes), 0);
        spa_pod_builder_pop(builder, &props);
    }
    return spa_pod_builder_pop(builder, &route);
}

static int enum_params(SPA_UNUSED void *object, int seq, uint32_t id, uint32_t start, uint32_t max,
    SPA_UNUSED const struct spa_pod *filter)
{
    uint32_t count = id == SPA_PARAM_EnumRoute ? port_count : 1;

    for (uint32_t i = start; i < count && i - start < max; i++) {
        uint8_t buffer[1024];
        struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof buffer);
        struct spa_result_device_params result = {.id = id, .index = i, .next = i + 1};

        if (id == SPA_PARAM_EnumRoute)
            result.param = build_route(&builder, id, i);
        else if (id == SPA_PARAM_Route)
            result.param = build_route(&builder, id, is_plugged_in ? headset : internal);
        else
            result.param = build_profile(&builder, id);
        spa_hook_list_call_simple(&listeners, struct spa_device_events, result, 0, seq, 0,
            SPA_RESULT_TYPE_DEVICE_PARAMS, &result);
    }
    return 0;
}

/* A client that has sent a request blocks until the server gets this answer. */
static int answer_sync(SPA_UNUSED void *object, int seq)
{
    spa_hook_list_call_simple(&listeners, struct spa_device_events, result, 0, seq, 0, 0, NULL);
    return 0;
}

static void emit_info(void)
{
    const struct spa_device_info info = {
        .change_mask = SPA_DEVICE_CHANGE_MASK_PARAMS, .params = params, .n_params = SPA_N_ELEMENTS(params)};

    spa_hook_list_call_simple(&listeners, struct spa_device_events, info, 0, &info);
}

/* Called once, by the export: the server's side is the only listener. */
static int add_listener(SPA_UNUSED void *object, struct spa_hook *listener, const struct spa_device_events *events,
    void *data)
{
    spa_hook_list_append(&listeners, listener, events, data);
    emit_info();
    return 0;
}

static void plug(SPA_UNUSED void *data, SPA_UNUSED int signal)
{
    is_plugged_in = !is_plugged_in;
    /* Parameters are requested again when their flags change, and this flag exists for that. */
    for (size_t i = 0; i < SPA_N_ELEMENTS(params); i++)
        if (params[i].id == SPA_PARAM_EnumRoute || params[i].id == SPA_PARAM_Route)
            params[i].flags ^= SPA_PARAM_INFO_SERIAL;
    emit_info();
}

static void end(SPA_UNUSED void *data, SPA_UNUSED int signal)
{
    pw_main_loop_quit(loop);
}

static void read_input(void *data, int file, SPA_UNUSED uint32_t events)
{
    char bytes[256];

    if (read(file, bytes, sizeof bytes) <= 0)
        end(data, 0);
}

static void fail(const char *message)
{
    fprintf(stderr, "ported-device: %s\n", message);
    exit(1);
}

static void note_error(SPA_UNUSED void *data, SPA_UNUSED uint32_t id, SPA_UNUSED int seq, SPA_UNUSED int result,
    const char *message)
{
    fail(message);
}

static void note_source(SPA_UNUSED void *data, SPA_UNUSED uint32_t id)
{
    puts("ready");
    fflush(stdout);
}

/* Create the source only now, because it refers to its card by the ID that the server has assigned. */
static void note_card(SPA_UNUSED void *data, uint32_t id)
{
    static const struct pw_proxy_events events = {PW_VERSION_PROXY_EVENTS, .bound = note_source};
    static struct spa_hook hook;
    char card[16];
    const struct spa_dict_item items[] = {
        {"factory.name", "support.null-audio-sink"},
        {PW_KEY_MEDIA_CLASS, "Audio/Source/Virtual"},
        {PW_KEY_NODE_NAME, source_name},
        {PW_KEY_NODE_DESCRIPTION, "Microphone with ports"},
        {"audio.position", "MONO"},
        {PW_KEY_DEVICE_ID, card},
        {"card.profile.device", SPA_STRINGIFY(PROFILE_DEVICE)},
    };
    struct pw_proxy *source;

    snprintf(card, sizeof card, "%u", id);
    source = pw_core_create_object(core, "adapter", PW_TYPE_INTERFACE_Node, PW_VERSION_NODE,
        &SPA_DICT_INIT_ARRAY(items), 0);
    pw_proxy_add_listener(source, &hook, &events, NULL);
}

int main(int argc, char **argv)
{
/* Setting anything is ignored: WirePlumber restores the port and clients set the volume, but only the plug counts. */
    static const struct spa_device_methods methods = {
        SPA_VERSION_DEVICE_METHODS, .add_listener = add_listener, .sync = answer_sync, .enum_params = enum_params};
    static const struct pw_core_events core_events = {PW_VERSION_CORE_EVENTS, .error = note_error};
    static const struct pw_proxy_events card_events = {PW_VERSION_PROXY_EVENTS, .bound = note_card};
/* pipewire-pulse identifies a card by its class, WirePlumber by its name. */
    static const struct spa_dict_item items[] = {
        {PW_KEY_MEDIA_CLASS, "Audio/Device"},
        {PW_KEY_DEVICE_NAME, "ported-device"},
        {PW_KEY_DEVICE_API, "test"},
    };
    static struct spa_hook core_hook, card_hook;
    struct spa_device device = {SPA_INTERFACE_INIT(SPA_TYPE_INTERFACE_Device, SPA_VERSION_DEVICE, &methods, NULL)};
    struct pw_context *context;
    struct pw_proxy *card;

    if (argc > 1)
        source_name = argv[1];
    pw_init(NULL, NULL);
    spa_hook_list_init(&listeners);
    loop = pw_main_loop_new(NULL);
    /* Before a context exists, so that its thread blocks these signals. */
    pw_loop_add_signal(pw_main_loop_get_loop(loop), SIGUSR1, plug, NULL);
    pw_loop_add_signal(pw_main_loop_get_loop(loop), SIGTERM, end, NULL);
    pw_loop_add_io(pw_main_loop_get_loop(loop), STDIN_FILENO, SPA_IO_IN | SPA_IO_HUP, false, read_input, NULL);
    context = pw_context_new(pw_main_loop_get_loop(loop), NULL, 0);
    core = context ? pw_context_connect(context, NULL, 0) : NULL;
    if (!core)
        fail("no server");
    pw_core_add_listener(core, &core_hook, &core_events, NULL);
    card = pw_core_export(core, SPA_TYPE_INTERFACE_Device, &SPA_DICT_INIT_ARRAY(items), &device, 0);
    if (!card)
        fail("no card");
    pw_proxy_add_listener(card, &card_hook, &card_events, NULL);
    pw_main_loop_run(loop);
    /* The server removes the card and the source with the connection. */
    return 0;
}

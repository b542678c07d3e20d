// The manual in the binary. The assembler takes 60 KB in half a second, and SwiftPM's embedded resources, which are array
// literals, took 13. #embed needs clang 19, and Swift 6.1 has 17.
#include "CManual.h"

// Makes this file depend on the pages: a changed one is taken in by the next build.
#if !__has_include("examples.md") || !__has_include("keys.md") || !__has_include("appearance.md") \
    || !__has_include("lines.md") || !__has_include("scripts.md") || !__has_include("watch.md") \
    || !__has_include("hooks.md") || !__has_include("receiver.md") \
    || !__has_include("protocols.md") || !__has_include("servers.md") || !__has_include("networks.md") \
    || !__has_include("configuration.md") || !__has_include("environment.md") || !__has_include("files.md") \
    || !__has_include("json.md") || !__has_include("queue.md") || !__has_include("security.md") \
    || !__has_include("limits.md") || !__has_include("library.md") || !__has_include("../../config.example.json")
#error "a page of Sources/Manual is missing"
#endif

#ifdef __APPLE__
#define SECTION ".section __TEXT,__const\n"
#define SYMBOL(topic) "_manual_" #topic
#else
#define SECTION ".section .rodata\n"
#define SYMBOL(topic) "manual_" #topic
#endif

#define FILE(symbol, path) __asm__(SECTION symbol ":\n.incbin \"" path "\"\n.byte 0\n.text\n");

#define PAGE(topic) \
    FILE(SYMBOL(topic), #topic ".md") \
    extern const char manual_##topic[];

#define ALL(each) \
    each(examples) each(keys) each(appearance) each(lines) each(scripts) each(watch) each(hooks) each(receiver) \
    each(protocols) each(servers) each(networks) each(configuration) each(environment) each(files) each(json) \
    each(queue) each(security) each(limits) each(library)

ALL(PAGE)
FILE(SYMBOL(example), "../../config.example.json")
extern const char manual_example[];

#define TEXT(topic) manual_##topic,
#define NAME(topic) #topic,

static const char *const texts[] = {ALL(TEXT)};
static const char *const topics[] = {ALL(NAME)};

const int manual_page_count = sizeof topics / sizeof *topics;

const char *manual_page_topic(int page) { return topics[page]; }

const char *manual_page_text(int page) { return texts[page]; }

const char *manual_example_configuration(void) { return manual_example; }

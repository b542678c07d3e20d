#include "internal.h"

#include "CTerminal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int saved_output = -1;
static int saved_error = -1;
static int stray_read = -1;
static bool stray_has_ended;
/* The last bytes that other code printed while the screen was open. They go to descriptor 2 when the screen closes. */
static char kept[16 * 1024];
static size_t kept_length;

static void keep(const uint8_t *bytes, size_t count) {
    if (count > sizeof kept) {
        bytes += count - sizeof kept;
        count = sizeof kept;
    }
    if (kept_length + count > sizeof kept) {
        size_t surplus = kept_length + count - sizeof kept;
        memmove(kept, kept + surplus, kept_length - surplus);
        kept_length -= surplus;
    }
    memcpy(kept + kept_length, bytes, count);
    kept_length += count;
}

static void repeat(int descriptor) {
    if (kept_length > 0) {
        ssize_t ignored = write(descriptor, kept, kept_length);
        (void)ignored;
    }
    kept_length = 0;
}

bool descriptor_prepare(int descriptor, bool non_blocking) {
    if (fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0) return false;
    if (!non_blocking) return true;
    int flags = fcntl(descriptor, F_GETFL);
    return flags != -1 && fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0;
}

int streams_stray_descriptor(void) { return stray_has_ended ? -1 : stray_read; }

void streams_note_end(void) { stray_has_ended = true; }

bool streams_redirect(void) {
    int ends[2];
    if (pipe(ends) != 0) return false;
    /* Both ends are non-blocking: a thread that prints must not wait until the screen reads. */
    if (!descriptor_prepare(ends[0], true) || !descriptor_prepare(ends[1], true)) goto failed;
    saved_output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    saved_error = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    if (saved_output < 0) goto failed;
    if (dup2(ends[1], STDOUT_FILENO) < 0 || dup2(ends[1], STDERR_FILENO) < 0) goto failed;
    close(ends[1]);
    stray_read = ends[0];
    stray_has_ended = false;
    return true;
failed:;
    int reason = errno;
    close(ends[0]);
    close(ends[1]);
    streams_restore(false);
    errno = reason;
    return false;
}

void streams_restore(bool repeating) {
    uint8_t bytes[1024];
    while (terminal_read_stray(bytes, sizeof bytes) > 0) continue;
    if (saved_output >= 0) {
        dup2(saved_output, STDOUT_FILENO);
        close(saved_output);
        saved_output = -1;
    }
    if (saved_error >= 0) {
        dup2(saved_error, STDERR_FILENO);
        close(saved_error);
        saved_error = -1;
    }
    if (repeating) repeat(STDERR_FILENO);
    kept_length = 0;
    if (stray_read >= 0) {
        close(stray_read);
        stray_read = -1;
    }
}

void streams_restore_after_crash(void) {
    if (saved_error < 0) return;
    dup2(saved_error, STDERR_FILENO);
    /* Swift prints the message of a trap before the signal. The message is still in the pipe and would be lost. */
    uint8_t bytes[1024];
    for (int round = 0; round < 64 && terminal_read_stray(bytes, sizeof bytes) > 0; round++) continue;
    repeat(saved_error);
}

long terminal_read_stray(uint8_t *buffer, size_t capacity) {
    if (stray_read < 0) return 0;
    ssize_t count = read(stray_read, buffer, capacity);
    if (count <= 0) return 0;
    keep(buffer, (size_t)count);
    return count;
}

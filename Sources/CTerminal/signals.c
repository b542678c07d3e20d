#define _GNU_SOURCE
#define _DARWIN_C_SOURCE
#include "internal.h"

#include "CTerminal.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static int wake_read = -1;
static int wake_write = -1;
static volatile sig_atomic_t last_deadly;
static volatile sig_atomic_t has_hung_up;

static const int watched[] = {SIGWINCH, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGALRM, SIGPIPE};
static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE};
enum { WATCHED = sizeof watched / sizeof *watched, CRASHES = sizeof crashes / sizeof *crashes };
static struct sigaction previous[WATCHED];
static struct sigaction previous_crash[CRASHES];
static bool installed;

/* Restores the terminal with async-signal-safe calls only: poll(2), write(2) and tcsetattr(3). */
static void restore_at_once(void) {
    static const char sequence[] =
        "\033[?2026l"               /* end of a synchronized update */
        "\033[?1006l\033[?1000l"    /* mouse */
        "\033[?2004l"               /* bracketed paste */
        "\033[0m\033[?25h"          /* plain text, cursor on */
        "\033[?1l\033>"             /* keypad */
        "\033[?1049l\r\n";          /* normal screen */
    if (!terminal_screen_is_up) return;
    terminal_screen_is_up = 0;
    struct pollfd waiting = {.fd = terminal_out, .events = POLLOUT};
    if (poll(&waiting, 1, 0) == 1 && (waiting.revents & POLLOUT)) {
        ssize_t ignored = write(terminal_out, sequence, sizeof sequence - 1);
        (void)ignored;
    }
    tcsetattr(terminal_in, TCSANOW, &terminal_saved_modes);
}

static void note(uint8_t byte) {
    int reason = errno;
    if (wake_write >= 0) {
        ssize_t ignored = write(wake_write, &byte, 1);
        (void)ignored;
    }
    errno = reason;
}

static void on_signal(int signal) {
    /* On a stalled line the terminal's thread blocks in write(2) and cannot handle the signal. SIGALRM then ends the
     * process after 3 seconds. */
    if (signal == SIGHUP) has_hung_up = 1;
    if (signal == SIGTERM || signal == SIGHUP) {
        last_deadly = signal;
        alarm(3);
    }
    note((uint8_t)signal);
}

static void on_alarm(int signal) {
    (void)signal;
    if (last_deadly == 0) return;
    restore_at_once();
    streams_restore_after_crash();
    _exit(128 + last_deadly);
}

/* Calls the handler that was installed before, such as Swift's, which prints a backtrace and returns. */
static void hand_on(const struct sigaction *action, int signal, siginfo_t *info, void *context) {
    if (action->sa_flags & SA_SIGINFO) {
        if (action->sa_sigaction != NULL) action->sa_sigaction(signal, info, context);
    } else if (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN) {
        action->sa_handler(signal);
    }
}

static void on_crash(int number, siginfo_t *info, void *context) {
    restore_at_once();
    streams_restore_after_crash();
    for (int i = 0; i < CRASHES; i++)
        if (crashes[i] == number) hand_on(&previous_crash[i], number, info, context);
    signal(number, SIG_DFL);
    /* When this handler returns, a fault happens again and ends the process. A signal that a process or abort(3) sent
     * does not come again by itself, so it is sent again here. */
    if (info == NULL || info->si_code <= 0 || number == SIGABRT) pthread_kill(pthread_self(), number);
}

/* Creates the pipe once. It is never closed: another thread may call terminal_wake() while the screen closes. */
static bool open_pipe(void) {
    if (wake_read >= 0) return true;
    int ends[2];
    if (pipe(ends) != 0) return false;
    if (!descriptor_prepare(ends[0], true) || !descriptor_prepare(ends[1], true)) {
        close(ends[0]);
        close(ends[1]);
        return false;
    }
    wake_read = ends[0];
    wake_write = ends[1];
    return true;
}

bool signals_install(void) {
    if (!open_pipe()) return false;
    last_deadly = 0;
    has_hung_up = 0;

    struct sigaction action;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    for (int i = 0; i < WATCHED; i++) {
        action.sa_handler = watched[i] == SIGPIPE ? SIG_IGN : watched[i] == SIGALRM ? on_alarm : on_signal;
        sigaction(watched[i], &action, &previous[i]);
    }

    /* After a stack overflow of this thread, the handler needs another stack. */
    static char alternate[64 * 1024];
    stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate, .ss_flags = 0};
    sigaltstack(&stack, NULL);
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    action.sa_sigaction = on_crash;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (int i = 0; i < CRASHES; i++) sigaction(crashes[i], &action, &previous_crash[i]);
    installed = true;
    return true;
}

void signals_restore(bool gone) {
    if (!installed) return;
    alarm(0);
    for (int i = 0; i < WATCHED; i++) {
        /* A closing terminal sends SIGHUP more than once, and possibly after read(2) has reported the end. */
        if (watched[i] == SIGHUP && (gone || has_hung_up))
            signal(SIGHUP, SIG_IGN);
        else
            sigaction(watched[i], &previous[i], NULL);
    }
    for (int i = 0; i < CRASHES; i++) sigaction(crashes[i], &previous_crash[i], NULL);
    stack_t none = {.ss_flags = SS_DISABLE};
    sigaltstack(&none, NULL);
    installed = false;
}

void terminal_wake(void) { note(0); }

int terminal_next_signal(void) {
    uint8_t byte;
    if (wake_read < 0) return -1;
    return read(wake_read, &byte, 1) == 1 ? byte : -1;
}

int terminal_wait(int milliseconds) {
    struct pollfd waiting[3] = {
        {.fd = terminal_in, .events = POLLIN},
        {.fd = wake_read, .events = POLLIN},
        {.fd = streams_stray_descriptor(), .events = POLLIN},
    };
    if (poll(waiting, 3, milliseconds) <= 0) return 0;
    int result = 0;
    if (waiting[0].revents & POLLIN) result |= TERMINAL_INPUT;
    if (waiting[0].revents & (POLLHUP | POLLERR | POLLNVAL)) result |= TERMINAL_HUNG_UP;
    if (waiting[1].revents & POLLIN) result |= TERMINAL_WOKEN;
    if (waiting[2].revents & POLLIN)
        result |= TERMINAL_STRAY;
    else if (waiting[2].revents != 0)
        streams_note_end();
    return result;
}

void terminal_wait_in_background(int milliseconds) {
    struct pollfd waiting = {.fd = wake_read, .events = POLLIN};
    poll(&waiting, 1, milliseconds);
}

bool terminal_in_foreground(void) {
    /* Ferry's line mode also calls this. It has no open screen and reads descriptor 0. */
    pid_t group = tcgetpgrp(terminal_in >= 0 ? terminal_in : STDIN_FILENO);
    return group == -1 || group == getpgrp();
}

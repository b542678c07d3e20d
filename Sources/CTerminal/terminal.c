#define _GNU_SOURCE
#define _DARWIN_C_SOURCE
/* curses.h hides the wide-character functions without this. SwiftPM does not pass on pkg-config's definitions. */
#define NCURSES_WIDECHAR 1
#include "CTerminal.h"

#include "internal.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

int terminal_in = -1;
int terminal_out = -1;
struct termios terminal_saved_modes;
volatile sig_atomic_t terminal_screen_is_up;

static terminal_options chosen;
static SCREEN *screen;
static FILE *output_stream;
static FILE *input_stream;
static bool locale_is_utf8;
static const char *missing_locale;
static struct {
    attr_t attributes;
    int pair;
} styles[TERMINAL_STYLES];

/* Writes an escape sequence, bypassing curses. Call this only between calls of doupdate(), when the buffer of curses
 * is empty. */
static void emit(const char *sequence) {
    size_t left = strlen(sequence);
    while (left > 0) {
        ssize_t count = write(terminal_out, sequence, left);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return;
        sequence += count;
        left -= (size_t)count;
    }
}

static void modes_on(void) {
    emit("\033[?2004h");
    if (chosen.mouse) emit("\033[?1000h\033[?1006h");
}

static void modes_off(void) {
    emit("\033[?1006l\033[?1000l");
    emit("\033[?2004l");
}

/* Returns the locale that setlocale(3) uses: the first of these variables that is set and not empty. */
static const char *wanted_locale(void) {
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        if (value != NULL && *value != 0) return value;
    }
    return "C";
}

static bool names_utf8(const char *locale) {
    const char *codeset = strchr(locale, '.');
    return codeset != NULL && (strncasecmp(codeset + 1, "UTF-8", 5) == 0 || strncasecmp(codeset + 1, "UTF8", 4) == 0);
}

static void choose_locale(void) {
    missing_locale = NULL;
    /* If the locale of another category is not installed, LC_CTYPE is still set. */
    bool installed = setlocale(LC_ALL, "") != NULL || setlocale(LC_CTYPE, "") != NULL;
    locale_is_utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    if (locale_is_utf8) return;
    /* Containers, and ssh without SendEnv, set no locale. As in PEP 538, only LC_CTYPE is changed to UTF-8. */
    if (setlocale(LC_CTYPE, "C.UTF-8") == NULL && setlocale(LC_CTYPE, "en_US.UTF-8") == NULL) return;
    /* ssh sends the name of the locale on the user's machine. The terminal uses the codeset of that locale, even if the
     * locale is not installed here. */
    if (!installed && names_utf8(wanted_locale())) {
        missing_locale = wanted_locale();
        locale_is_utf8 = true;
    }
}

static bool can_place_cursor(void) {
    const char *capability = tigetstr("cup");
    return capability != NULL && capability != (const char *)-1;
}

/* Makes the name of the terminfo entry with 24-bit colours: xterm-direct for xterm-256color. Returns false if it does
 * not fit into `buffer`. */
static bool find_direct_name(const char *name, char *buffer, size_t capacity) {
    static const char *const endings[] = {"-256color", "-color"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t ending = strlen(endings[i]);
        if (length > ending && strcmp(name + length - ending, endings[i]) == 0) {
            length -= ending;
            break;
        }
    }
    int written = snprintf(buffer, capacity, "%.*s-direct", (int)length, name);
    return written > 0 && (size_t)written < capacity;
}

/* Starts curses by newterm(), because initscr() would end the process for an unknown TERM. Over ssh, for example, TERM
 * can name a newer terminal than this machine knows. */
static bool start_curses(void) {
    const char *name = getenv("TERM");
    if (name != NULL && strcmp(name, "dumb") == 0) return false;
    char direct[128];
    screen = NULL;
    if (chosen.colour && chosen.direct_colour && name != NULL && find_direct_name(name, direct, sizeof direct))
        screen = newterm(direct, output_stream, input_stream);
    if (screen == NULL) screen = newterm(NULL, output_stream, input_stream);
    if (screen == NULL) screen = newterm("xterm-256color", output_stream, input_stream);
    if (screen == NULL) return false;
    set_term(screen);
    if (can_place_cursor()) return true;
    endwin();
    delscreen(screen);
    screen = NULL;
    return false;
}

static void release_streams(void) {
    if (output_stream != NULL) fclose(output_stream);
    if (input_stream != NULL) fclose(input_stream);
    output_stream = NULL;
    input_stream = NULL;
    terminal_in = -1;
    terminal_out = -1;
}

static terminal_result open_streams(void) {
    terminal_in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    terminal_out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (terminal_in < 0 || terminal_out < 0) return TERMINAL_FAILED;
    input_stream = fdopen(terminal_in, "r");
    output_stream = fdopen(terminal_out, "w");
    return input_stream != NULL && output_stream != NULL ? TERMINAL_OK : TERMINAL_FAILED;
}

terminal_result terminal_open(terminal_options options) {
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) return TERMINAL_NOT_A_TERMINAL;
    if (tcgetattr(STDIN_FILENO, &terminal_saved_modes) != 0) return TERMINAL_NOT_A_TERMINAL;
    chosen = options;
    choose_locale();
    terminal_result result = open_streams();
    /* The handlers are installed before newterm(), because curses replaces only default handlers. */
    if (result == TERMINAL_OK && !signals_install()) result = TERMINAL_FAILED;
    if (result == TERMINAL_OK && !start_curses()) result = TERMINAL_UNUSABLE;
    if (result == TERMINAL_OK && !streams_redirect()) {
        result = TERMINAL_FAILED;
        endwin();
        delscreen(screen);
        screen = NULL;
    }
    if (result != TERMINAL_OK) {
        signals_restore(false);
        release_streams();
        return result;
    }
    terminal_screen_is_up = 1;
    raw();
    noecho();
    nonl();
    intrflush(stdscr, FALSE);
    /* By default doupdate() stops early while input is pending. */
    typeahead(-1);
    idlok(stdscr, FALSE);
    idcok(stdscr, FALSE);
    scrollok(stdscr, FALSE);
    leaveok(stdscr, FALSE);
    if (chosen.colour && has_colors()) {
        start_color();
        use_default_colors();
    } else {
        chosen.colour = false;
    }
    modes_on();
    return TERMINAL_OK;
}

void terminal_close(bool gone) {
    if (screen == NULL) return;
    if (!gone) {
        modes_off();
        endwin();
    }
    terminal_screen_is_up = 0;
    delscreen(screen);
    screen = NULL;
    streams_restore(!gone);
    signals_restore(gone);
    release_streams();
}

int terminal_colours(void) { return chosen.colour ? COLORS : 0; }

bool terminal_colours_are_direct(void) {
    /* The capability RGB is a flag, a number of bits, or a string with the bits of each colour. */
    const char *text = tigetstr("RGB");
    return tigetflag("RGB") > 0 || tigetnum("RGB") > 0 || (text != NULL && text != (const char *)-1);
}

bool terminal_locale_is_utf8(void) { return locale_is_utf8; }

const char *terminal_missing_locale(void) { return missing_locale; }

const char *terminal_locale(void) {
    if (missing_locale != NULL) return missing_locale;
    const char *name = setlocale(LC_CTYPE, NULL);
    return name != NULL ? name : "C";
}

void terminal_ask_width(int row) {
    /* The first output of curses shows and clears the alternate screen, so it must precede the question. */
    terminal_present(0, 0);
    char question[64];
    snprintf(question, sizeof question, "\033[%d;1H\xE2\x97\x8F\033[6n\r\033[K", row + 1);
    emit(question);
}

int terminal_scalar_width(uint32_t scalar) { return wcwidth((wchar_t)scalar); }

void terminal_define_style(uint8_t style, int foreground, int background, unsigned attributes) {
    if (style >= TERMINAL_STYLES) return;
    attr_t result = A_NORMAL;
    if (attributes & TERMINAL_BOLD) result |= A_BOLD;
    if (attributes & TERMINAL_DIM) result |= A_DIM;
    if (attributes & TERMINAL_REVERSE) result |= A_REVERSE;
    if (attributes & TERMINAL_UNDERLINE) result |= A_UNDERLINE;
    int pair = 0;
    /* Terminals with 8 colours show the bright colours 8 to 15 as plain ones. */
    if (COLORS == 8 && foreground >= 8) foreground -= 8;
    if (COLORS == 8 && background >= 8) background -= 8;
    if (chosen.colour && (foreground >= 0 || background >= 0) && style + 1 < COLOR_PAIRS) {
        pair = style + 1;
        init_extended_pair(pair, foreground, background);
    }
    styles[style].attributes = result;
    styles[style].pair = pair;
}

void terminal_put_row(int row, const terminal_cell *cells, int count) {
    /* mvwadd_wchnstr neither wraps nor scrolls in the last cell, and interprets no control characters. */
    cchar_t buffer[256];
    int filled = 0, column = 0, start = 0;
    for (int i = 0; i < count; i++) {
        const terminal_cell *cell = &cells[i];
        if (cell->width == 0) continue;
        wchar_t text[4] = {(wchar_t)cell->scalar, (wchar_t)cell->combining[0], (wchar_t)cell->combining[1], 0};
        int style = cell->style < TERMINAL_STYLES ? cell->style : 0;
        int pair = styles[style].pair;
        /* The short argument overflows beyond 32767 pairs. curses uses the last argument, an int, instead. */
        if (setcchar(&buffer[filled], text, styles[style].attributes, (short)pair, &pair) == ERR) {
            text[0] = L'?';
            text[1] = 0;
            setcchar(&buffer[filled], text, styles[style].attributes, (short)pair, &pair);
        }
        filled++;
        column += cell->width;
        if (filled == 256) {
            mvwadd_wchnstr(stdscr, row, start, buffer, filled);
            start = column;
            filled = 0;
        }
    }
    if (filled > 0) mvwadd_wchnstr(stdscr, row, start, buffer, filled);
}

void terminal_present(int cursor_row, int cursor_column) {
    /* After a crash, the handler on another thread may have restored the terminal already. */
    if (!terminal_screen_is_up) return;
    move(cursor_row, cursor_column);
    wnoutrefresh(stdscr);
    emit("\033[?2026h");
    doupdate();
    emit("\033[?2026l");
}

void terminal_forget(void) { clearok(curscr, TRUE); }

bool terminal_writable(void) {
    struct pollfd waiting = {.fd = terminal_out, .events = POLLOUT};
    return poll(&waiting, 1, 0) == 1 && (waiting.revents & POLLOUT);
}

void terminal_set_mouse(bool on) {
    chosen.mouse = on;
    emit(on ? "\033[?1000h\033[?1006h" : "\033[?1006l\033[?1000l");
}

void terminal_copy(const char *base64) {
    emit("\033]52;c;");
    emit(base64);
    emit("\033\\");
}

void terminal_bell(void) { emit("\a"); }

void terminal_notify(const char *text, bool in_tmux) {
    emit(in_tmux ? "\033Ptmux;\033\033]9;" : "\033]9;");
    emit(text);
    emit(in_tmux ? "\a\033\\" : "\a");
}

void terminal_measure(int *rows, int *columns) {
    struct winsize size;
    if (ioctl(terminal_out, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0
        && (size.ws_row != LINES || size.ws_col != COLS))
        resizeterm(size.ws_row, size.ws_col);
    *rows = LINES;
    *columns = COLS;
}

long terminal_read(uint8_t *buffer, size_t capacity) {
    ssize_t count = read(terminal_in, buffer, capacity);
    if (count > 0) return count;
    if (count == 0) return -1;
    return errno == EINTR || errno == EAGAIN ? 0 : -1;
}

bool terminal_suspend(const char *farewell) {
    modes_off();
    endwin();
    terminal_screen_is_up = 0;
    emit(farewell);
    struct sigaction standard, ours;
    memset(&standard, 0, sizeof standard);
    standard.sa_handler = SIG_DFL;
    sigemptyset(&standard.sa_mask);
    sigaction(SIGTSTP, &standard, &ours);
    /* Stops the whole process group, as the terminal driver does. */
    kill(0, SIGTSTP);
    /* Another thread may receive SIGTSTP a moment later, so this waits for SIGCONT. SIGCONT never comes if the process
     * group is orphaned (in a container, or as the command of a pane), because such a group cannot stop. */
    bool stopped = false;
    for (int round = 0; round < 10 && !stopped; round++) {
        terminal_wait_in_background(20);
        for (int signal = terminal_next_signal(); signal >= 0; signal = terminal_next_signal()) {
            if (signal == SIGCONT) stopped = true;
            if (signal == SIGTERM || signal == SIGHUP || signal == SIGINT || signal == SIGQUIT) {
                /* The event loop of the screen handles this signal, so it is raised again. */
                sigaction(SIGTSTP, &ours, NULL);
                raise(signal);
                return true;
            }
        }
    }
    sigaction(SIGTSTP, &ours, NULL);
    return stopped;
}

void terminal_resume(void) {
    reset_prog_mode();
    terminal_screen_is_up = 1;
    int rows, columns;
    terminal_measure(&rows, &columns);
    modes_on();
    clearok(curscr, TRUE);
}

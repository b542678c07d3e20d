#ifndef CTERMINAL_H
#define CTERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A face over ncursesw without curses.h: no macros, no variadics, no globals.
 * One thread owns the terminal and calls everything here except terminal_wake(), which any thread may call. */

/* One cell. A wide character has width 2 and is followed by a cell of width 0. */
typedef struct {
    uint32_t scalar;
    uint32_t combining[2]; /* 0 where there is none */
    uint8_t style;         /* a number given to terminal_define_style() */
    uint8_t width;
} terminal_cell;

#define TERMINAL_STYLES 64

enum { TERMINAL_BOLD = 1, TERMINAL_DIM = 2, TERMINAL_REVERSE = 4, TERMINAL_UNDERLINE = 8 };

typedef struct {
    bool mouse;
    bool colour;
    /* Take the description of 24-bit colours that belongs to TERM, if there is one. */
    bool direct_colour;
} terminal_options;

typedef enum {
    TERMINAL_OK,
    TERMINAL_NOT_A_TERMINAL, /* standard input or output is something else */
    TERMINAL_UNUSABLE,       /* TERM names a terminal that cannot place its cursor */
    TERMINAL_FAILED          /* a system call failed; errno says why */
} terminal_result;

/* Takes the terminal over: signal handlers, modes, alternate screen. Descriptors 1 and 2 lead into a pipe until
 * terminal_close(), so that nothing printed by others lands in the screen. */
terminal_result terminal_open(terminal_options options);

/* Gives everything back, and repeats on descriptor 2 the end of what was printed meanwhile. With `gone` nothing is
 * written: the terminal has hung up. After a hang-up SIGHUP is ignored. */
void terminal_close(bool gone);

/* Number of colours, 0 without colour. */
int terminal_colours(void);
/* True if the numbers of colours are made of their parts, of 24 bits if there are 1 << 24. */
bool terminal_colours_are_direct(void);
/* True if the environment names a UTF-8 locale; false if one had to be assumed. */
bool terminal_locale_is_utf8(void);
/* The locale of characters, such as ja_JP.UTF-8. */
const char *terminal_locale(void);

/* The locale that the environment names with UTF-8 and that is not installed; NULL if there is none. */
const char *terminal_missing_locale(void);
/* Draws U+25CF at the beginning of a row and asks the terminal where its cursor is then. The answer comes as input. The
 * next frame must be sent in full. */
void terminal_ask_width(int row);
/* The columns the C library gives a scalar; -1 if it is not printable. */
int terminal_scalar_width(uint32_t scalar);

/* Colours are palette numbers, -1 is the terminal's own. */
void terminal_define_style(uint8_t style, int foreground, int background, unsigned attributes);
/* Writes one row from its first column on. */
void terminal_put_row(int row, const terminal_cell *cells, int count);
/* Sends what changed and leaves the cursor at the given cell. */
void terminal_present(int cursor_row, int cursor_column);
/* Forgets what is on the screen, so that the next frame is sent in full. */
void terminal_forget(void);
/* False while the other end does not take what was written: a frame would block. */
bool terminal_writable(void);
void terminal_set_mouse(bool on);
/* Gives text, in base64, to the clipboard of the terminal, wherever that runs (OSC 52). Terminals may ignore it. */
void terminal_copy(const char *base64);

void terminal_bell(void);
/* Asks the terminal for a notification of the desktop (OSC 9), through tmux if it allows that (allow-passthrough). The
 * text holds no control characters. Terminals may ignore it. */
void terminal_notify(const char *text, bool in_tmux);

/* Asks the kernel for the size and tells curses. */
void terminal_measure(int *rows, int *columns);

enum { TERMINAL_INPUT = 1, TERMINAL_WOKEN = 2, TERMINAL_STRAY = 4, TERMINAL_HUNG_UP = 8 };

/* Waits for any of the four, at most `milliseconds` (-1: for ever). Returns a set, 0 if the time ran out. */
int terminal_wait(int milliseconds);
/* Waits for a wake-up only and leaves the terminal alone. */
void terminal_wait_in_background(int milliseconds);
/* Bytes of the keyboard, after TERMINAL_INPUT. 0: nothing now, -1: the terminal has gone. */
long terminal_read(uint8_t *buffer, size_t capacity);
/* Bytes others wrote to descriptors 1 and 2; 0 if none. */
long terminal_read_stray(uint8_t *buffer, size_t capacity);

/* Makes terminal_wait() return. Async-signal-safe, any thread. */
void terminal_wake(void);
/* The next pending signal, 0 for a wake-up, -1 if nothing is pending. */
int terminal_next_signal(void);

/* Leaves the screen and stops the process group. True if it came back through SIGCONT, false if it could not stop.
 * Afterwards wait for terminal_in_foreground(), then terminal_resume(). */
bool terminal_suspend(const char *farewell);
/* False after `bg`: touching the terminal then would stop the process again. */
bool terminal_in_foreground(void);
void terminal_resume(void);

#endif

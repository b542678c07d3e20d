#ifndef CTERMINAL_H
#define CTERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An interface to ncursesw without the macros, variadic functions and globals of curses.h.
 * One thread owns the terminal and calls all functions here. Only terminal_wake() may be called by any thread. */

/* A cell of the screen. A wide character has width 2 and is followed by a cell of width 0. */
typedef struct {
    uint32_t scalar;
    uint32_t combining[2]; /* combining characters; 0 for none */
    uint8_t style;         /* a number given to terminal_define_style() */
    uint8_t width;
} terminal_cell;

#define TERMINAL_STYLES 64

enum { TERMINAL_BOLD = 1, TERMINAL_DIM = 2, TERMINAL_REVERSE = 4, TERMINAL_UNDERLINE = 8 };

typedef struct {
    bool mouse;
    bool colour;
    /* True to use the terminfo entry of TERM with 24-bit colours, such as xterm-direct, if it is installed. */
    bool direct_colour;
} terminal_options;

typedef enum {
    TERMINAL_OK,
    TERMINAL_NOT_A_TERMINAL, /* standard input or output is not a terminal */
    TERMINAL_UNUSABLE,       /* TERM names a dumb terminal: no cursor addressing */
    TERMINAL_FAILED          /* a system call failed; errno says why */
} terminal_result;

/* Takes over the terminal: installs signal handlers, sets the modes and shows the alternate screen. Until
 * terminal_close(), descriptors 1 and 2 are a pipe, so that output of other code does not appear on the screen. */
terminal_result terminal_open(terminal_options options);

/* Restores the terminal, the signal handlers and the descriptors. Then writes the last output of other code to
 * descriptor 2. If `gone`, the terminal has hung up, and nothing is written. After a hang-up SIGHUP stays ignored. */
void terminal_close(bool gone);

/* The number of colours; 0 without colour. */
int terminal_colours(void);
/* True if a colour number contains the values of red, green and blue. They have 24 bits in all if the number of colours
 * is 1 << 24. */
bool terminal_colours_are_direct(void);
/* True if the environment names a UTF-8 locale, installed or not. False for any other locale, even if C.UTF-8 or
 * en_US.UTF-8 is used in its place. */
bool terminal_locale_is_utf8(void);
/* The name of the locale for characters (LC_CTYPE), such as ja_JP.UTF-8. */
const char *terminal_locale(void);

/* The UTF-8 locale that the environment names and that is not installed; NULL if there is none. */
const char *terminal_missing_locale(void);
/* Draws U+25CF at the beginning of a row and requests the cursor position, which shows how wide the terminal drew the
 * character. The reply arrives as input. Call terminal_forget() before the next frame. */
void terminal_ask_width(int row);
/* The width of a Unicode scalar in columns, according to the C library; -1 if it is not printable. */
int terminal_scalar_width(uint32_t scalar);

/* Defines a style. Colours are palette numbers, or 24-bit RGB values if terminal_colours_are_direct(). -1 is the
 * terminal's default colour. */
void terminal_define_style(uint8_t style, int foreground, int background, unsigned attributes);
/* Writes cells to one row, from its first column on. terminal_present() shows them. */
void terminal_put_row(int row, const terminal_cell *cells, int count);
/* Sends the changed cells to the terminal, and leaves the cursor at the given cell. */
void terminal_present(int cursor_row, int cursor_column);
/* Forgets what is on the screen, so that the next frame is sent in full. */
void terminal_forget(void);
/* False while the terminal does not read what was written: writing a frame would block. */
bool terminal_writable(void);
void terminal_set_mouse(bool on);
/* Copies base64-encoded text to the clipboard of the machine that shows the terminal (OSC 52). Terminals may ignore
 * it. */
void terminal_copy(const char *base64);

void terminal_bell(void);
/* Asks the terminal to show a desktop notification (OSC 9). In tmux this needs the option allow-passthrough. The
 * text must not contain control characters. Terminals may ignore the request. */
void terminal_notify(const char *text, bool in_tmux);

/* Reads the size of the terminal from the kernel, and resizes curses to it. */
void terminal_measure(int *rows, int *columns);

enum { TERMINAL_INPUT = 1, TERMINAL_WOKEN = 2, TERMINAL_STRAY = 4, TERMINAL_HUNG_UP = 8 };

/* Waits for typed bytes, for a signal or terminal_wake() (WOKEN), for output of other code (STRAY) or for a hang-up, at
 * most `milliseconds` (-1: for ever). Returns the set of these events; 0 after the timeout or an interrupted wait. */
int terminal_wait(int milliseconds);
/* Waits for a signal or terminal_wake() alone, at most `milliseconds`. Does not touch the terminal. */
void terminal_wait_in_background(int milliseconds);
/* Reads typed bytes. Returns their number; 0 if there are none now, -1 if the terminal is gone. */
long terminal_read(uint8_t *buffer, size_t capacity);
/* Reads bytes that other code wrote to descriptors 1 and 2. Returns their number; 0 if there are none. */
long terminal_read_stray(uint8_t *buffer, size_t capacity);

/* Makes terminal_wait() return. Any thread and any signal handler may call it. */
void terminal_wake(void);
/* Returns the next pending signal; 0 for a call of terminal_wake(), -1 if nothing is pending. */
int terminal_next_signal(void);

/* Leaves the screen, prints `farewell` and stops the process group. Returns true after SIGCONT, or if a signal that
 * ends the program arrives; false if the group could not stop. Then wait for terminal_in_foreground() and call
 * terminal_resume(). */
bool terminal_suspend(const char *farewell);
/* False while the process is in the background, as after `bg`: touching the terminal would stop it again. */
bool terminal_in_foreground(void);
void terminal_resume(void);

#endif

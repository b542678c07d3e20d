#ifndef CTERMINAL_INTERNAL_H
#define CTERMINAL_INTERNAL_H

#include <signal.h>
#include <stdbool.h>
#include <termios.h>

/* The terminal's descriptors, apart from 0, 1 and 2 so that those can be redirected. */
extern int terminal_in;
extern int terminal_out;
/* The terminal's settings before it was taken over. */
extern struct termios terminal_saved_modes;
/* True while the screen is up: what the crash handler and the watchdog must undo. */
extern volatile sig_atomic_t terminal_screen_is_up;

bool signals_install(void);
/* With `gone` SIGHUP stays ignored: the program is to end in its own way. */
void signals_restore(bool gone);

bool streams_redirect(void);
/* With `repeating`, what others printed meanwhile goes to descriptor 2. */
void streams_restore(bool repeating);
/* Async-signal-safe: gives descriptor 2 back and repeats on it what is still in the pipe. */
void streams_restore_after_crash(void);
/* -1 if there is nothing to wait for. */
int streams_stray_descriptor(void);
/* Somebody closed descriptors 1 and 2: the pipe would be ready for ever. */
void streams_note_end(void);

bool descriptor_prepare(int descriptor, bool non_blocking);

#endif

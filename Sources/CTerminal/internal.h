#ifndef CTERMINAL_INTERNAL_H
#define CTERMINAL_INTERNAL_H

#include <signal.h>
#include <stdbool.h>
#include <termios.h>

/* The terminal's descriptors: duplicates of 0 and 1, because 1 and 2 are redirected. */
extern int terminal_in;
extern int terminal_out;
/* The terminal's settings before it was taken over. */
extern struct termios terminal_saved_modes;
/* True while the screen is shown. Only then do the handlers of crashes and of SIGALRM restore the terminal. */
extern volatile sig_atomic_t terminal_screen_is_up;

bool signals_install(void);
/* Restores the handlers that were installed before. If `gone` is true or a SIGHUP has arrived, SIGHUP is ignored from
 * then on: the terminal has hung up, and the program ends by itself. */
void signals_restore(bool gone);

bool streams_redirect(void);
/* Restores descriptors 1 and 2. If `repeating` is true, then writes the last output of other code to descriptor 2. */
void streams_restore(bool repeating);
/* Restores descriptor 2 and writes the last output of other code to it. Async-signal-safe. */
void streams_restore_after_crash(void);
/* The reading end of the pipe behind descriptors 1 and 2; -1 if nothing can arrive. */
int streams_stray_descriptor(void);
/* Notes that other code closed descriptors 1 and 2: poll(2) would report the end of the pipe for ever. */
void streams_note_end(void);

bool descriptor_prepare(int descriptor, bool non_blocking);

#endif

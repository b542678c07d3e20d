#ifndef C_CHILD_H
#define C_CHILD_H

#include <sys/types.h>

/// Starts a program that gets three descriptors and nothing else that is open here: in a process group of its own, with
/// no signal blocked or ignored.
///
/// @param words The program, which is looked for in PATH unless it has a slash, and its arguments; the last is NULL.
/// @param variables The whole environment, each NAME=value; the last is NULL.
/// @param folder Where it begins, and what a relative program is relative to; NULL for where this process is.
/// @param input, output, errors Not 0, 1 or 2.
/// @param process Set if it was started.
/// @return 0, or why not, as errno has it.
int child_start(
    char *const _Nullable words[_Nonnull], char *const _Nullable variables[_Nonnull], const char *_Nullable folder,
    int input, int output, int errors, pid_t *_Nonnull process);

#endif

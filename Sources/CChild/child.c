// The two actions whose names end in _np are GNU's, and so not visible from Swift.
#define _GNU_SOURCE

#include "CChild.h"

#include <signal.h>
#include <spawn.h>

static int add_actions(
    posix_spawn_file_actions_t *actions, const char *folder, int input, int output, int errors)
{
    int failure = 0;
    if (!failure) failure = posix_spawn_file_actions_adddup2(actions, input, 0);
    if (!failure) failure = posix_spawn_file_actions_adddup2(actions, output, 1);
    if (!failure) failure = posix_spawn_file_actions_adddup2(actions, errors, 2);
    if (!failure && folder) failure = posix_spawn_file_actions_addchdir_np(actions, folder);
#ifndef __APPLE__
    // The HTTP library's sockets stay open across exec, and so would their connections.
    if (!failure) failure = posix_spawn_file_actions_addclosefrom_np(actions, 3);
#endif
    return failure;
}

static int set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
#ifdef __APPLE__
    flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
#endif
    int failure = posix_spawnattr_setflags(attributes, flags);
    if (!failure) failure = posix_spawnattr_setpgroup(attributes, 0);
    if (!failure) failure = posix_spawnattr_setsigdefault(attributes, &all);
    if (!failure) failure = posix_spawnattr_setsigmask(attributes, &none);
    return failure;
}

int child_start(
    char *const words[], char *const variables[], const char *folder, int input, int output, int errors,
    pid_t *process)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int failure = posix_spawn_file_actions_init(&actions);
    if (failure) return failure;
    failure = posix_spawnattr_init(&attributes);
    if (!failure) {
        failure = add_actions(&actions, folder, input, output, errors);
        if (!failure) failure = set_attributes(&attributes);
        if (!failure) failure = posix_spawnp(process, words[0], &actions, &attributes, words, variables);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return failure;
}

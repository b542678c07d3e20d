#ifndef C_FILES_H
#define C_FILES_H

#include <pthread.h>
#include <spawn.h>

#ifdef __linux__
#include <sys/vfs.h>
#include <sys/xattr.h>
#endif

// Declarations that glibc hides without _GNU_SOURCE. Swift cannot define that macro when it imports the C library.
#ifdef __linux__
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);
int pthread_setname_np(pthread_t thread, const char *name);
enum { FERRY_SPAWN_SETSID = 0x80 };
#else
enum { FERRY_SPAWN_SETSID = POSIX_SPAWN_SETSID };
#endif

#endif

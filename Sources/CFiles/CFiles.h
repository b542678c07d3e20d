#ifndef C_FILES_H
#define C_FILES_H

#include <pthread.h>
#include <spawn.h>

#ifdef __linux__
#include <stdint.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>
#endif
#ifdef __GLIBC__
#include <malloc.h>
#endif

// Declarations that glibc hides without _GNU_SOURCE. Swift cannot define that macro when it imports the C library.
#ifdef __linux__
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);
int pthread_setname_np(pthread_t thread, const char *name);
enum { FERRY_SPAWN_SETSID = 0x80 };

// Lets all threads take memory from two arenas (mallopt(3)). By default there are up to eight for each processor, and a
// thread cannot use what is free in another's: of a million uploads, an order on all then took 130 MB more.
static inline void ferry_limit_arenas(void) {
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, 2);
#endif
}

// Gives back the free memory of the heap, which glibc otherwise keeps, and the resident pages of the program's code and
// constants. The kernel reads a page of code again when the program uses it. The linker defines the two symbols (end(3)).
// Nothing between them is ever written.
static inline void ferry_release_memory(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
    extern char __executable_start[], etext[];
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t start = ((uintptr_t)__executable_start + page - 1) / page * page;
    uintptr_t end = (uintptr_t)etext / page * page;
    if (start < end) madvise((void *)start, end - start, MADV_DONTNEED);
}

// Opens `path` only if it contains no symbolic link: openat2(2) with RESOLVE_NO_SYMLINKS. The C library has no function
// for it, and old headers not its number, which is the same for all architectures.
static inline int ferry_open_without_links(int folder, const char *path, int flags) {
    struct { uint64_t flags, mode, resolve; } how = {(uint64_t)flags, 0, 4};
    return (int)syscall(437, folder, path, &how, sizeof how);
}
#else
static inline void ferry_limit_arenas(void) {}
static inline void ferry_release_memory(void) {}
static inline int ferry_open_without_links(int folder, const char *path, int flags) { return -1; }
enum { FERRY_SPAWN_SETSID = POSIX_SPAWN_SETSID };
#endif

#endif

// A preloaded library (LD_PRELOAD) that denies a program netlink sockets, as some sandboxes do. It makes the file that
// FERRY_TEST_DENIED names when the program has tried to open one. Calls within the C library are not affected.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

int socket(int family, int type, int protocol) {
    if (family != AF_NETLINK) return (int)syscall(SYS_socket, family, type, protocol);
    const char *path = getenv("FERRY_TEST_DENIED");
    if (path) close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    errno = EPERM;
    return -1;
}

// Loaded before a program (LD_PRELOAD): it may not speak with the kernel about the network, as in some sandboxes. The
// file that FERRY_TEST_DENIED names is made when that was tried. The C library's own calls do not come by here.
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

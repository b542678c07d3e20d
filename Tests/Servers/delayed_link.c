/* A cable between two network namespaces that delivers each packet after a delay, for kernels without netem.
 *
 * usage: delayed_link NAMESPACE NAMESPACE MICROSECONDS
 *
 * Makes a TUN device named "delayed" in each of the two namespaces of `ip netns` and passes packets from one to the other.
 * Each is delivered MICROSECONDS after it came, so a round trip takes twice as long. Prints "ready" when the devices are
 * there; the caller gives them addresses. Needs root and /dev/net/tun. Ends on SIGTERM; the devices end with it.
 */
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { PACKETS = 8192, LONGEST = 2048 };

struct direction {
    int from, to;
    unsigned first, count;
    struct { long long due; ssize_t size; char bytes[LONGEST]; } packets[PACKETS];
};

static struct direction directions[2];

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static int device(const char *namespace) {
    char path[256];
    snprintf(path, sizeof path, "/run/netns/%s", namespace);
    int network = open(path, O_RDONLY | O_CLOEXEC);
    if (network < 0 || setns(network, CLONE_NEWNET)) return -1;
    close(network);
    struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI};
    strcpy(request.ifr_name, "delayed");
    int file = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    return file < 0 || ioctl(file, TUNSETIFF, &request) ? -1 : file;
}

int main(int count, char **words) {
    if (count != 4) return fprintf(stderr, "usage: delayed_link NAMESPACE NAMESPACE MICROSECONDS\n"), 2;
    int ends[2] = {device(words[1]), device(words[2])};
    long long delay = atoll(words[3]) * 1000;
    if (ends[0] < 0 || ends[1] < 0) {
        perror("delayed_link");
        return 1;
    }
    directions[0].from = directions[1].to = ends[0];
    directions[0].to = directions[1].from = ends[1];
    printf("ready\n");
    fflush(stdout);
    for (;;) {
        long long next = -1;
        for (int side = 0; side < 2; side++) {
            struct direction *way = directions + side;
            while (way->count < PACKETS) {
                unsigned last = (way->first + way->count) % PACKETS;
                ssize_t size = read(way->from, way->packets[last].bytes, LONGEST);
                if (size <= 0) break;
                way->packets[last].size = size;
                way->packets[last].due = now() + delay;
                way->count++;
            }
            while (way->count && way->packets[way->first].due <= now()) {
                /* The device drops what its queue cannot take, as a real one does. */
                if (write(way->to, way->packets[way->first].bytes, (size_t)way->packets[way->first].size) < 0) {}
                way->first = (way->first + 1) % PACKETS;
                way->count--;
            }
            long long due = way->count ? way->packets[way->first].due : -1;
            if (due >= 0 && (next < 0 || due < next)) next = due;
        }
        struct pollfd waits[2] = {{ends[0], POLLIN, 0}, {ends[1], POLLIN, 0}};
        long long left = next < 0 ? 0 : next - now();
        struct timespec limit = {left > 0 ? left / 1000000000 : 0, left > 0 ? left % 1000000000 : 0};
        ppoll(waits, 2, next < 0 ? NULL : &limit, NULL);
    }
}

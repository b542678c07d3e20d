/* An HTTP/1.1 server on 127.0.0.1 that reads uploads and keeps nothing, for measurements.
 *
 * usage: discard_server
 *
 * Takes any request with a Content-Length on a free port and answers 201 when its last byte is read. Prints "ready PORT"
 * once it listens, then for each request "took BYTES NANOSECONDS", the time from the first byte of the header to the
 * last of the body. One connection at a time. Ends on SIGTERM.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static char buffer[1 << 20];

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static ssize_t take(int connection, char *into, size_t limit) {
    ssize_t count;
    do count = recv(connection, into, limit, 0);
    while (count < 0 && errno == EINTR);
    return count;
}

static int answer(int connection, const char *text) {
    size_t length = strlen(text);
    return send(connection, text, length, MSG_NOSIGNAL) == (ssize_t)length;
}

static long long number_after(const char *header, const char *name) {
    for (const char *line = strstr(header, "\r\n"); line; line = strstr(line + 2, "\r\n"))
        if (strncasecmp(line + 2, name, strlen(name)) == 0) return atoll(line + 2 + strlen(name));
    return 0;
}

/* Returns 0 when the connection is over. */
static int serve(int connection) {
    static char header[65536];
    size_t held = 0;
    char *end = NULL;
    long long begun = 0;
    while (!end && held < sizeof header - 1) {
        ssize_t count = take(connection, header + held, sizeof header - 1 - held);
        if (count <= 0) return 0;
        if (!begun) begun = now();
        held += (size_t)count;
        header[held] = 0;
        end = strstr(header, "\r\n\r\n");
    }
    if (!end) return 0;
    long long length = number_after(header, "content-length:");
    int waits = strcasestr(header, "\r\nexpect: 100-continue") != NULL;
    if (waits && !answer(connection, "HTTP/1.1 100 Continue\r\n\r\n")) return 0;
    long long left = length - (long long)(header + held - (end + 4));
    while (left > 0) {
        ssize_t count = take(connection, buffer, sizeof buffer);
        if (count <= 0) return 0;
        left -= count;
    }
    printf("took %lld %lld\n", length, now() - begun);
    return answer(connection, "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n");
}

int main(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) || listen(listener, 8) ||
        getsockname(listener, (struct sockaddr *)&address, &size)) {
        perror("discard_server");
        return 1;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("ready %d\n", ntohs(address.sin_port));
    for (;;) {
        int connection = accept(listener, NULL, NULL);
        if (connection < 0) continue;
        while (serve(connection)) {}
        close(connection);
    }
}

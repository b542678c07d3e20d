/* An HTTP/1.1 server with TLS on 127.0.0.1 that takes uploads by PUT, one connection after the other, and keeps nothing.
 *
 * usage: discard_tls CERTIFICATE KEY
 *
 * It only decrypts, so it is less often the slower side than a server that stores files. Prints "ready PORT" once it
 * listens, and on SIGUSR1 "received" and the bytes of all bodies so far. Ends on SIGTERM.
 */
#include <arpa/inet.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BUFFER = 1 << 18 };

static char buffer[BUFFER];
static long long received;

/* `signal` restarts the calls that it interrupts. */
static void report_received(int number) {
    char text[64];
    int length = snprintf(text, sizeof text, "received %lld\n", received);
    if (write(STDOUT_FILENO, text, (size_t)length) < 0) (void)number;
}

/* Reads one request. Returns 0 when the connection is over. */
static int serve(SSL *session) {
    int held = 0, count;
    char *end = NULL;
    while (!end) {
        if (held == BUFFER - 1 || (count = SSL_read(session, buffer + held, BUFFER - 1 - held)) <= 0) return 0;
        held += count;
        buffer[held] = 0;
        end = strstr(buffer, "\r\n\r\n");
    }
    const char *field = strcasestr(buffer, "\r\ncontent-length:");
    long long left = field && field < end ? atoll(field + 17) : 0;
    int waits = (field = strcasestr(buffer, "\r\nexpect: 100-continue")) && field < end;
    long long body = held - (end + 4 - buffer);
    if (waits && SSL_write(session, "HTTP/1.1 100 Continue\r\n\r\n", 25) != 25) return 0;
    received += body;
    for (left -= body; left > 0; left -= count, received += count)
        if ((count = SSL_read(session, buffer, left < BUFFER ? (int)left : BUFFER)) <= 0) return 0;
    return SSL_write(session, "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n", 43) == 43;
}

int main(int count, char **words) {
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    if (count != 3 || SSL_CTX_use_certificate_chain_file(context, words[1]) != 1
        || SSL_CTX_use_PrivateKey_file(context, words[2], SSL_FILETYPE_PEM) != 1)
        return fprintf(stderr, "usage: discard_tls CERTIFICATE KEY\n"), 2;
    /* One call of the system reads many records. */
    SSL_CTX_set_read_ahead(context, 1);
    SSL_CTX_set_default_read_buffer_len(context, BUFFER);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) || listen(listener, 64)
        || getsockname(listener, (struct sockaddr *)&address, &size)) {
        perror("discard_tls");
        return 1;
    }
    signal(SIGUSR1, report_received);
    signal(SIGPIPE, SIG_IGN);
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("ready %d\n", ntohs(address.sin_port));
    for (;;) {
        int connection = accept(listener, NULL, NULL);
        if (connection < 0) continue;
        SSL *session = SSL_new(context);
        SSL_set_fd(session, connection);
        if (SSL_accept(session) == 1)
            while (serve(session)) {}
        SSL_free(session);
        close(connection);
    }
}

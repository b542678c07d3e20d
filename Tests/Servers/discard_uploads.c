/* An HTTP/1.1 server on 127.0.0.1, or on all addresses, that takes uploads by PUT, tus, S3 and WebDAV and keeps only sizes.
 *
 * usage: discard_uploads [--anywhere] [--port N] [--rate BYTES] [--windows MILLISECONDS]
 *
 * Serves each connection on a thread of its own. A digest that a request carries (Repr-Digest, x-amz-checksum-...) is
 * repeated in the response, unchecked, so a client pays for its digests and the server does not. Signatures are not
 * checked. --rate reads that many bytes a second from each connection. --windows prints, for each body, "windows" and the
 * bytes that arrived in each window of that length, beginning with the first byte of the body. Prints "ready PORT" once
 * it listens, and on SIGUSR1 "received" and the bytes of all bodies so far. Ends on SIGTERM.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { HEAD = 32768, BUFFER = 131072, TAIL = 512, SLOTS = 1 << 21, WINDOWS = 4096 };

static long long rate, window, received;

/* The sizes of the files by the hash of their path, for WebDAV's PROPFIND. */
static struct { unsigned long long key; long long size; } files[SLOTS];
static pthread_mutex_t files_lock = PTHREAD_MUTEX_INITIALIZER;

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void pause_for(long long nanoseconds) {
    struct timespec time = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    if (nanoseconds > 0) nanosleep(&time, NULL);
}

/* `signal` restarts the calls that it interrupts. */
static void report_received(int number) {
    char text[64];
    int length = snprintf(text, sizeof text, "received %lld\n", __atomic_load_n(&received, __ATOMIC_RELAXED));
    if (write(STDOUT_FILENO, text, (size_t)length) < 0) (void)number;
}

/* Stores a size, or returns the stored one if `size` is -1; -1 means that the path is unknown. */
static long long file_size(const char *path, size_t length, long long size) {
    unsigned long long key = 14695981039346656037ULL;
    for (size_t at = 0; at < length; at++) key = (key ^ (unsigned char)path[at]) * 1099511628211ULL;
    if (!key) key = 1;
    pthread_mutex_lock(&files_lock);
    size_t slot = key % SLOTS;
    for (int tries = 0; tries < 64 && files[slot].key && files[slot].key != key; tries++) slot = (slot + 1) % SLOTS;
    if (size >= 0) files[slot].key = key, files[slot].size = size;
    long long found = files[slot].key == key ? files[slot].size : -1;
    pthread_mutex_unlock(&files_lock);
    return found;
}

struct connection {
    int socket;
    size_t held, at;          /* The bytes in `buffer`, and those of them that were taken. */
    char head[HEAD + 1];
    char buffer[BUFFER];
    char tail[TAIL + 1];      /* The last bytes of the body, for trailers. */
    size_t tail_held;
    long long begun, body;    /* The time of the body's first byte, and the bytes of the body so far. */
    long long windows[WINDOWS];
};

static int fill(struct connection *c) {
    if (c->at < c->held) return 1;
    size_t limit = BUFFER;
    long long from = now();
    if (rate && rate / 50 < BUFFER) limit = rate / 50 > 0 ? (size_t)(rate / 50) : 1;
    ssize_t count = recv(c->socket, c->buffer, limit, 0);
    if (count <= 0) return 0;
    if (rate) pause_for(count * 1000000000LL / rate - (now() - from));
    c->held = (size_t)count, c->at = 0;
    return 1;
}

static int take_head(struct connection *c) {
    size_t length = 0;
    while (length < HEAD) {
        if (!fill(c)) return 0;
        c->head[length++] = c->buffer[c->at++];
        if (length >= 4 && memcmp(c->head + length - 4, "\r\n\r\n", 4) == 0) {
            c->head[length] = 0;
            return 1;
        }
    }
    return 0;
}

static int take_line(struct connection *c, char *line, size_t limit) {
    for (size_t length = 0; length < limit - 1;) {
        if (!fill(c)) return 0;
        line[length++] = c->buffer[c->at++];
        if (line[length - 1] == '\n') {
            line[length] = 0;
            return 1;
        }
    }
    return 0;
}

static int take_body(struct connection *c, long long left) {
    while (left > 0) {
        if (!fill(c)) return 0;
        size_t count = c->held - c->at;
        if ((long long)count > left) count = (size_t)left;
        if (window) {
            if (!c->begun) c->begun = now();
            long long number = (now() - c->begun) / (window * 1000000);
            if (number < WINDOWS) c->windows[number] += (long long)count;
        }
        const char *end = c->buffer + c->at + count;
        size_t kept = count < TAIL ? count : TAIL, room = TAIL - kept;
        size_t older = c->tail_held < room ? c->tail_held : room;
        memmove(c->tail, c->tail + c->tail_held - older, older);
        memcpy(c->tail + older, end - kept, kept);
        c->tail_held = older + kept;
        c->tail[c->tail_held] = 0;
        c->at += count, left -= (long long)count, c->body += (long long)count;
        __atomic_add_fetch(&received, (long long)count, __ATOMIC_RELAXED);
    }
    return 1;
}

static int take_chunks(struct connection *c) {
    char line[4096];
    for (;;) {
        if (!take_line(c, line, sizeof line)) return 0;
        long long size = strtoll(line, NULL, 16);
        if (size == 0) break;
        if (!take_body(c, size) || !take_line(c, line, sizeof line)) return 0;
    }
    do if (!take_line(c, line, sizeof line)) return 0;
    while (line[0] != '\r' && line[0] != '\n');
    return 1;
}

/* The value of a header field, or NULL. Its length comes with it. */
static const char *field(const char *head, const char *name, int *length) {
    size_t size = strlen(name);
    for (const char *line = strstr(head, "\r\n"); line; line = strstr(line + 2, "\r\n")) {
        if (strncasecmp(line + 2, name, size) || line[2 + size] != ':') continue;
        const char *value = line + 3 + size + strspn(line + 3 + size, " \t");
        *length = (int)strcspn(value, "\r");
        return value;
    }
    return NULL;
}

static long long number(const char *head, const char *name) {
    int length;
    const char *value = field(head, name, &length);
    return value ? atoll(value) : 0;
}

static int respond(struct connection *c, const char *status, const char *fields, const char *body, int is_head) {
    char text[16384];
    int length = snprintf(
        text, sizeof text, "HTTP/1.1 %s\r\n%sContent-Length: %zu\r\n\r\n%s", status, fields, strlen(body),
        is_head ? "" : body
    );
    return length < (int)sizeof text && send(c->socket, text, (size_t)length, MSG_NOSIGNAL) == length;
}

/* Repeats the digest of a request: its header field, or a trailer at the end of an aws-chunked body. */
static void repeat_digest(struct connection *c, char *into, size_t limit) {
    static const char *names[] = {
        "repr-digest", "x-amz-checksum-crc64nvme", "x-amz-checksum-crc32c", "x-amz-checksum-crc32",
        "x-amz-checksum-sha256", "x-amz-checksum-sha1",
    };
    for (size_t at = 0; at < sizeof names / sizeof *names; at++) {
        int length;
        const char *value = field(c->head, names[at], &length);
        char *trailer = strcasestr(c->tail, names[at]);
        if (!value && trailer && trailer[strlen(names[at])] == ':') {
            value = trailer + strlen(names[at]) + 1;
            length = (int)strcspn(value, "\r\n");
        }
        if (value) snprintf(into + strlen(into), limit - strlen(into), "%s: %.*s\r\n", names[at], length, value);
    }
}

static int properties(struct connection *c, const char *path, int length) {
    char body[8192];
    long long size = length > 0 && path[length - 1] == '/' ? -1 : file_size(path, (size_t)length, -1);
    if (size < 0 && path[length - 1] != '/') return respond(c, "404 Not Found", "", "", 0);
    char kind[128] = "<D:resourcetype><D:collection/></D:resourcetype>";
    if (size >= 0) snprintf(kind, sizeof kind, "<D:resourcetype/><D:getcontentlength>%lld</D:getcontentlength>", size);
    snprintf(
        body, sizeof body, "<?xml version=\"1.0\" encoding=\"utf-8\"?><D:multistatus xmlns:D=\"DAV:\"><D:response>"
        "<D:href>%.*s</D:href><D:propstat><D:prop>%s<D:getlastmodified>Thu, 01 Jan 2026 00:00:00 GMT</D:getlastmodified>"
        "</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response></D:multistatus>", length, path, kind
    );
    return respond(c, "207 Multi-Status", "Content-Type: application/xml\r\n", body, 0);
}

static int post(struct connection *c, const char *path, int length) {
    static long long created;
    char fields[1024] = "", digest[256] = "", body[2048];
    int size;
    if (field(c->head, "tus-resumable", &size)) {
        snprintf(
            fields, sizeof fields, "Tus-Resumable: 1.0.0\r\nLocation: /files/%lld\r\nUpload-Offset: %lld\r\n",
            __atomic_add_fetch(&created, 1, __ATOMIC_RELAXED), c->body
        );
        return respond(c, "201 Created", fields, "", 0);
    }
    const char *query = memchr(path, '?', (size_t)length);
    if (query && strncmp(query, "?uploads", 8) == 0)
        return respond(
            c, "200 OK", "Content-Type: application/xml\r\n", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
            "<InitiateMultipartUploadResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Bucket>bucket</Bucket>"
            "<Key>key</Key><UploadId>upload</UploadId></InitiateMultipartUploadResult>", 0
        );
    const char *sum = field(c->head, "x-amz-checksum-crc64nvme", &size);
    if (sum) snprintf(digest, sizeof digest, "<ChecksumCRC64NVME>%.*s</ChecksumCRC64NVME>", size, sum);
    snprintf(
        body, sizeof body, "<?xml version=\"1.0\" encoding=\"UTF-8\"?><CompleteMultipartUploadResult"
        " xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Location>/</Location><Bucket>bucket</Bucket><Key>key</Key>"
        "<ETag>\"0-1\"</ETag>%s</CompleteMultipartUploadResult>", digest
    );
    return respond(c, "200 OK", "Content-Type: application/xml\r\n", body, 0);
}

static int answer(struct connection *c, const char *method, const char *path, int length) {
    char fields[2048];
    if (strcmp(method, "PUT") == 0) {
        strcpy(fields, "ETag: \"0\"\r\n");
        repeat_digest(c, fields, sizeof fields);
        file_size(path, (size_t)length, c->body);
        return respond(c, strchr(path, '?') && strchr(path, '?') < path + length ? "200 OK" : "201 Created", fields, "", 0);
    }
    if (strcmp(method, "PATCH") == 0) {
        snprintf(
            fields, sizeof fields, "Tus-Resumable: 1.0.0\r\nUpload-Offset: %lld\r\n",
            number(c->head, "upload-offset") + c->body
        );
        repeat_digest(c, fields, sizeof fields);
        return respond(c, "204 No Content", fields, "", 1);
    }
    if (strcmp(method, "OPTIONS") == 0)
        return respond(
            c, "200 OK", "Tus-Resumable: 1.0.0\r\nTus-Version: 1.0.0\r\nDAV: 1\r\n"
            "Tus-Extension: creation,creation-with-upload,checksum,termination\r\nTus-Checksum-Algorithm: sha256,sha1,md5\r\n",
            "", 0
        );
    if (strcmp(method, "POST") == 0) return post(c, path, length);
    if (strcmp(method, "PROPFIND") == 0) return properties(c, path, length);
    if (strcmp(method, "MOVE") == 0) {
        int size;
        const char *to = field(c->head, "destination", &size), *start = to ? strstr(to, "://") : NULL;
        if (start && start < to + size) start = strchr(start + 3, '/');
        if (start) file_size(start, (size_t)(to + size - start), file_size(path, (size_t)length, -1));
        return respond(c, "201 Created", "", "", 0);
    }
    if (strcmp(method, "MKCOL") == 0) return respond(c, "201 Created", "", "", 0);
    if (strcmp(method, "DELETE") == 0) return respond(c, "204 No Content", "", "", 1);
    if (strcmp(method, "HEAD") == 0) return respond(c, "404 Not Found", "", "", 1);
    return respond(
        c, "200 OK", "Content-Type: application/xml\r\n", "<?xml version=\"1.0\" encoding=\"UTF-8\"?><ListBucketResult"
        " xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Name>bucket</Name><Prefix></Prefix><KeyCount>0</KeyCount>"
        "<MaxKeys>1000</MaxKeys><IsTruncated>false</IsTruncated></ListBucketResult>", 0
    );
}

/* Returns 0 when the connection is over. */
static int serve(struct connection *c) {
    c->tail_held = 0, c->tail[0] = 0, c->begun = 0, c->body = 0;
    if (!take_head(c)) return 0;
    int length, is_chunked = 0;
    char method[16] = "";
    sscanf(c->head, "%15s", method);
    const char *path = c->head + strcspn(c->head, " ") + 1;
    const char *coding = field(c->head, "transfer-encoding", &length);
    if (coding && length >= 7 && strncasecmp(coding + length - 7, "chunked", 7) == 0) is_chunked = 1;
    if (field(c->head, "expect", &length)
        && send(c->socket, "HTTP/1.1 100 Continue\r\n\r\n", 25, MSG_NOSIGNAL) != 25) return 0;
    if (window) memset(c->windows, 0, sizeof c->windows);
    if (is_chunked ? !take_chunks(c) : !take_body(c, number(c->head, "content-length"))) return 0;
    if (window && c->body) {
        flockfile(stdout);
        printf("windows");
        long long last = (now() - c->begun) / (window * 1000000);
        for (long long at = 0; at <= last && at < WINDOWS; at++) printf(" %lld", c->windows[at]);
        printf("\n");
        funlockfile(stdout);
    }
    return answer(c, method, path, (int)strcspn(path, " "));
}

static void *serve_all(void *socket) {
    struct connection *c = calloc(1, sizeof *c);
    if (c) {
        c->socket = (int)(long)socket;
        while (serve(c)) {}
        free(c);
    }
    close((int)(long)socket);
    return NULL;
}

int main(int count, char **words) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int one = 1;
    for (int at = 1; at < count; at++) {
        if (strcmp(words[at], "--anywhere") == 0) address.sin_addr.s_addr = htonl(INADDR_ANY);
        else if (at + 1 < count && strcmp(words[at], "--port") == 0) address.sin_port = htons((uint16_t)atoi(words[++at]));
        else if (at + 1 < count && strcmp(words[at], "--rate") == 0) rate = atoll(words[++at]);
        else if (at + 1 < count && strcmp(words[at], "--windows") == 0) window = atoll(words[++at]);
        else return fprintf(stderr, "discard_uploads: unknown option %s\n", words[at]), 2;
    }
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (listener < 0 || setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one)
        || bind(listener, (struct sockaddr *)&address, size) || listen(listener, 4096)
        || getsockname(listener, (struct sockaddr *)&address, &size)) {
        perror("discard_uploads");
        return 1;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    signal(SIGUSR1, report_received);
    printf("ready %d\n", ntohs(address.sin_port));
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, 1 << 17);
    for (;;) {
        int connection = accept(listener, NULL, NULL);
        if (connection < 0) continue;
        setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        pthread_t thread;
        if (pthread_create(&thread, &attributes, serve_all, (void *)(long)connection)) close(connection);
    }
}

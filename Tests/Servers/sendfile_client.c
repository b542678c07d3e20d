/* A client that sends one file by PUT with as little work as a program can have, for measurements.
 *
 * usage: sendfile_client 127.0.0.1 PORT PATH FILE
 *
 * Sends the head of the request, then the file by sendfile(2), and waits for the response. Fails unless that is 2xx.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int count, char **words) {
    if (count != 5) return fprintf(stderr, "usage: sendfile_client 127.0.0.1 PORT PATH FILE\n"), 2;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(words[2]))};
    inet_pton(AF_INET, words[1], &address.sin_addr);
    int connection = socket(AF_INET, SOCK_STREAM, 0), file = open(words[4], O_RDONLY);
    struct stat status;
    if (file < 0 || fstat(file, &status) != 0) return perror(words[4]), 1;
    if (connect(connection, (struct sockaddr *)&address, sizeof address) != 0) return perror("connect"), 1;
    char text[4096];
    int length = snprintf(text, sizeof text, "PUT %s HTTP/1.1\r\nHost: %s\r\nContent-Length: %lld\r\n\r\n", words[3],
                          words[1], (long long)status.st_size);
    if (send(connection, text, (size_t)length, MSG_NOSIGNAL | MSG_MORE) != length) return perror("send"), 1;
    for (off_t sent = 0; sent < status.st_size;)
        if (sendfile(connection, file, &sent, 1 << 30) <= 0) return perror("sendfile"), 1;
    ssize_t got = recv(connection, text, sizeof text - 1, 0);
    text[got > 0 ? got : 0] = 0;
    return strncmp(text, "HTTP/1.1 2", 10) == 0 ? 0 : (fprintf(stderr, "no success: %s\n", text), 1);
}

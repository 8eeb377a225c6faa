/* Load client: N connections; each sends its next request when it has the reply to the last one.
 *
 *     load PORT CONNECTIONS SECONDS FILE
 *
 * FILE contains requests, each after a line with its length. The client prints one line of JSON: the number of replies,
 * the seconds, the number of replies with another status than 200, and the processor seconds of the client itself.
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MAX_REPLY (1 << 20)
#define SILENCE_MS 30000

typedef struct { char *bytes; size_t length; } Request;
typedef struct { int socket; size_t next; char *reply; size_t received, expected; int is_closing, is_chunked; } Client;

static struct sockaddr_in server;
static Request *requests;
static size_t request_count;
static int poller;

static void fail(const char *reason) {
    perror(reason);
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static void read_requests(const char *path) {
    FILE *file = fopen(path, "rb");
    size_t length;
    if (!file) fail(path);
    while (fscanf(file, "%zu", &length) == 1) {
        fgetc(file);
        requests = realloc(requests, (request_count + 1) * sizeof(Request));
        requests[request_count].bytes = malloc(length);
        requests[request_count].length = length;
        if (fread(requests[request_count++].bytes, 1, length, file) != length) fail("incomplete request");
    }
    fclose(file);
}

static void open_connection(Client *client) {
    int on = 1;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = client};
    client->socket = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(client->socket, (struct sockaddr *)&server, sizeof server)) fail("connect");
    setsockopt(client->socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (epoll_ctl(poller, EPOLL_CTL_ADD, client->socket, &event)) fail("epoll_ctl");
    client->is_closing = 0;
}

static void send_next(Client *client) {
    Request *request = &requests[client->next++ % request_count];
    if (client->is_closing) {
        close(client->socket);
        open_connection(client);
    }
    client->received = client->expected = 0;
    for (size_t sent = 0; sent < request->length;) {
        ssize_t count = send(client->socket, request->bytes + sent, request->length - sent, MSG_NOSIGNAL);
        if (count < 0) fail("send");
        sent += count;
    }
}

/* Sets the expected length of the reply, once the head is complete. */
static void read_head(Client *client) {
    char *end = strstr(client->reply, "\r\n\r\n");
    if (!end) return;
    *end = 0;
    char *length = strcasestr(client->reply, "\r\ncontent-length:");
    client->is_chunked = !length;
    client->is_closing = strcasestr(client->reply, "\r\nconnection: close") != NULL;
    client->expected = end + 4 - client->reply + (length ? strtoul(length + 17, NULL, 10) : 5);
    *end = '\r';
}

/* Returns 1 when the reply is complete. */
static int receive(Client *client) {
    ssize_t count = recv(client->socket, client->reply + client->received, MAX_REPLY - 1 - client->received, 0);
    if (count <= 0) fail("the server closed a connection within a reply");
    client->received += count;
    client->reply[client->received] = 0;
    if (!client->expected) read_head(client);
    if (!client->expected || client->received < client->expected) return 0;
    return !client->is_chunked || !memcmp(client->reply + client->received - 5, "0\r\n\r\n", 5);
}

int main(int count, char **arguments) {
    if (count != 5) return fprintf(stderr, "usage: load PORT CONNECTIONS SECONDS FILE\n"), 2;
    size_t connections = strtoul(arguments[2], NULL, 10), replies = 0, failed = 0;
    double seconds = strtod(arguments[3], NULL);
    read_requests(arguments[4]);
    server.sin_family = AF_INET;
    server.sin_port = htons(atoi(arguments[1]));
    server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    poller = epoll_create1(0);
    Client *clients = calloc(connections, sizeof(Client));
    struct epoll_event ready[256];
    for (size_t number = 0; number < connections; number++) {
        clients[number].reply = malloc(MAX_REPLY);
        clients[number].next = number * request_count / connections;
        open_connection(&clients[number]);
    }
    double start = now(), time = start;
    for (size_t number = 0; number < connections; number++) send_next(&clients[number]);
    while (time < start + seconds) {
        int events = epoll_wait(poller, ready, 256, SILENCE_MS);
        if (events <= 0) fail("no reply");
        for (int place = 0; place < events; place++) {
            Client *client = ready[place].data.ptr;
            if (!receive(client)) continue;
            failed += memcmp(client->reply + 9, "200", 3) != 0;
            replies++;
            send_next(client);
        }
        time = now();
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    double processor = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
    printf("{\"replies\": %zu, \"seconds\": %f, \"failed\": %zu, \"processor\": %f}\n", replies, time - start, failed, processor);
    return 0;
}

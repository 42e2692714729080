// The lower bound of the lock file: acquires and releases a free lock with the system calls that the procedure needs, and no others.
//   cc -O2 -o lockfile lockfile.c && ./lockfile PATH SECONDS
// For each line of standard input it runs for SECONDS and prints mean, 50th and 99th percentile, and CPU time, in
// microseconds per turn. One turn is one acquire plus one release.
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MAX_TURNS (1 << 22)

static char *path, sidecar[4096], folder[2048], name[256], host[256], content[1024], seen[65536];
static uint64_t state;
static long began;
static int pid;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static uint64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static double cpu(void) {
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e6 + u.ru_utime.tv_usec + u.ru_stime.tv_usec;
}

static uint64_t random64(void) {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static void turn(void) {
    struct stat found, own;
    char helper[4096];
    // check that there is no lock file
    if (lstat(path, &found) == 0 || errno != ENOENT) {
        fprintf(stderr, "the lock is not free\n");
        exit(1);
    }
    // write the helper file
    snprintf(helper, sizeof helper, "%s/.%s.%d.%016lx.new", folder, name, pid, random64());
    int fd = open(helper, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0644);
    if (fd < 0) fail("open helper");
    long seconds = time(NULL);
    int length = snprintf(content, sizeof content, "pid=%d\ntimestamp=%ld\nnonce=%016lx\nstart=%ld\nhost=%s\nacquired=%ld\n", pid, seconds,
                          random64(), began, host, seconds);
    if (write(fd, content, length) != length) fail("write");
    if (fsync(fd) != 0) fail("fsync");
    if (fstat(fd, &own) != 0) fail("fstat");
    // publish
    if (link(helper, path) != 0) fail("link");
    if (unlink(helper) != 0) fail("unlink helper");
    // release: under the lock of the sidecar, if inode and content are still those of this process
    int side = open(sidecar, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (side < 0) fail("open sidecar");
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(side, F_SETLK, &lock) != 0) fail("lock");
    if (lstat(path, &found) != 0) fail("lstat");
    if (found.st_ino != own.st_ino || found.st_dev != own.st_dev) fail("the lock file was replaced");
    int again = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (again < 0) fail("open lock");
    if (read(again, seen, sizeof seen) != length || memcmp(seen, content, length) != 0) fail("the lock file was replaced");
    close(again);
    if (unlink(path) != 0) fail("unlink");
    lock.l_type = F_UNLCK;
    if (fcntl(side, F_SETLK, &lock) != 0) fail("unlock");
    close(side);
    close(fd);
}

static int by_size(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: lockfile PATH SECONDS\n");
        return 2;
    }
    path = argv[1];
    uint64_t nanos = atof(argv[2]) * 1e9;
    snprintf(sidecar, sizeof sidecar, "%s.guard", path);
    snprintf(folder, sizeof folder, "%s", dirname(strdup(path)));
    snprintf(name, sizeof name, "%s", basename(strdup(path)));
    gethostname(host, sizeof host - 1);
    state = now() * 2 + 1;
    began = time(NULL) * 1000;
    pid = getpid();
    uint64_t *took = malloc(MAX_TURNS * sizeof *took);
    while (getchar() == '\n') {
        double used = cpu();
        uint64_t start = now(), before = start;
        int turns = 0;
        while (before - start < nanos && turns < MAX_TURNS) {
            turn();
            uint64_t after = now();
            took[turns++] = after - before;
            before = after;
        }
        used = cpu() - used;
        qsort(took, turns, sizeof *took, by_size);
        printf("%.1f %.1f %.1f %.1f\n", (before - start) / 1e3 / turns, took[turns / 2] / 1e3, took[turns - 1 - turns / 100] / 1e3,
               used / turns);
        fflush(stdout);
    }
}

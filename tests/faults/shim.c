/* A disk that fails, or one that is watched: preloaded into a process and all that it starts.
 *
 * FAULT_ROOT     only what lies below counts
 * FAULT_LOG      write down each change and each sync, the change before it is made
 * FAULT_MATCH    fail only where the path contains this
 * FAULT_CALLS    which calls fail, of wsnor: write, sync, names, open to write, read
 * FAULT_ERRNO    with which error
 * FAULT_NTH      the first call that fails, counted over all processes in FAULT_COUNTER
 * FAULT_STICKY   1: all further ones fail as well
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static char root[PATH_MAX], logged[PATH_MAX], match[PATH_MAX], calls[16];
static int number, sticky;
static long nth;
static long *counter;

struct head { uint32_t kind, path, other, data; uint64_t offset, inode; uint32_t mode, rest; };

__attribute__((constructor)) static void begin(void) {
    const char *it;
    if ((it = getenv("FAULT_ROOT"))) snprintf(root, sizeof root, "%s", it);
    if ((it = getenv("FAULT_LOG"))) snprintf(logged, sizeof logged, "%s", it);
    if ((it = getenv("FAULT_MATCH"))) snprintf(match, sizeof match, "%s", it);
    if ((it = getenv("FAULT_CALLS"))) snprintf(calls, sizeof calls, "%s", it);
    if ((it = getenv("FAULT_ERRNO"))) number = atoi(it);
    if ((it = getenv("FAULT_NTH"))) nth = atol(it);
    if ((it = getenv("FAULT_STICKY"))) sticky = atoi(it);
    if ((it = getenv("FAULT_COUNTER"))) {
        int fd = (int)syscall(SYS_openat, AT_FDCWD, it, O_RDWR | O_CLOEXEC, 0);
        if (fd >= 0) {
            counter = mmap(NULL, sizeof *counter, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
            syscall(SYS_close, fd);
            if (counter == MAP_FAILED) counter = NULL;
        }
    }
}

static int path_of(int fd, char *out) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    long n = syscall(SYS_readlink, link, out, PATH_MAX - 1);
    out[n > 0 ? n : 0] = 0;
    return n > 0;
}

static void resolve(int dir, const char *path, char *out) {
    char base[PATH_MAX];
    if (path[0] == '/') { snprintf(out, PATH_MAX, "%s", path); return; }
    if (dir == AT_FDCWD) { if (syscall(SYS_getcwd, base, sizeof base) < 0) base[0] = 0; }
    else path_of(dir, base);
    if (snprintf(out, PATH_MAX, "%s/%s", base, path) >= PATH_MAX) out[0] = 0;
}

static int is_below(const char *path) {
    size_t n = strlen(root);
    return n && !strncmp(path, root, n) && path[n] == '/';
}

/* Says whether this call fails; each that could is counted. */
static int fails(char call, const char *path) {
    if (!number || !counter || !strchr(calls, call) || !is_below(path)) return 0;
    if (!strstr(path, match)) return 0;
    long now = __atomic_add_fetch(counter, 1, __ATOMIC_SEQ_CST);
    if (now == nth || (sticky && now > nth)) { errno = number; return 1; }
    return 0;
}

static int fails_at(char call, int fd) {
    char path[PATH_MAX];
    return number && path_of(fd, path) && fails(call, path);
}

static void note(char kind, const char *path, const char *other, int fd, uint64_t offset,
                 const void *data, size_t size) {
    if (!logged[0] || !(is_below(path) || (other[0] && is_below(other)))) return;
    int saved = errno;
    struct stat it;
    memset(&it, 0, sizeof it);
    if (fd >= 0) fstat(fd, &it); else lstat(path, &it);
    struct head head = {(uint32_t)kind, (uint32_t)strlen(path), (uint32_t)strlen(other),
                        (uint32_t)size, offset, it.st_ino, it.st_mode, 0};
    struct iovec parts[] = {{&head, sizeof head}, {(void *)path, head.path},
                            {(void *)other, head.other}, {(void *)data, size}};
    int to = (int)syscall(SYS_openat, AT_FDCWD, logged, O_WRONLY | O_APPEND | O_CLOEXEC, 0);
    if (to >= 0) { syscall(SYS_writev, to, parts, 4); syscall(SYS_close, to); }
    errno = saved;
}

static void note_write(int fd, int64_t offset, const void *data, size_t size) {
    char path[PATH_MAX];
    struct stat it;
    if (!logged[0] || !path_of(fd, path) || !is_below(path)) return;
    if (fstat(fd, &it) || !S_ISREG(it.st_mode)) return;
    if (offset < 0) {
        int flags = (int)syscall(SYS_fcntl, fd, F_GETFL);
        offset = flags & O_APPEND ? it.st_size : syscall(SYS_lseek, fd, 0, SEEK_CUR);
    }
    note('w', path, "", fd, (uint64_t)offset, data, size);
}

ssize_t write(int fd, const void *data, size_t size) {
    if (fails_at('w', fd)) return -1;
    note_write(fd, -1, data, size);
    return NEXT(write)(fd, data, size);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
    if (fails_at('w', fd)) return -1;
    ssize_t all = 0;
    for (int at = 0; at < count; at++) {
        ssize_t done = write(fd, parts[at].iov_base, parts[at].iov_len);
        if (done < 0) return all ? all : -1;
        all += done;
        if ((size_t)done < parts[at].iov_len) break;
    }
    return all;
}

#define PWRITE(name, type) \
    ssize_t name(int fd, const void *data, size_t size, type offset) { \
        if (fails_at('w', fd)) return -1; \
        note_write(fd, offset, data, size); \
        return NEXT(name)(fd, data, size, offset); \
    }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

ssize_t read(int fd, void *data, size_t size) {
    return fails_at('r', fd) ? -1 : NEXT(read)(fd, data, size);
}
ssize_t pread(int fd, void *data, size_t size, off_t offset) {
    return fails_at('r', fd) ? -1 : NEXT(pread)(fd, data, size, offset);
}
ssize_t pread64(int fd, void *data, size_t size, off64_t offset) {
    return fails_at('r', fd) ? -1 : NEXT(pread64)(fd, data, size, offset);
}
ssize_t sendfile64(int to, int from, off64_t *offset, size_t size) {
    (void)to, (void)from, (void)offset, (void)size;
    errno = ENOTSOCK; /* whoever copies so has another way, which is seen */
    return -1;
}
ssize_t sendfile(int to, int from, off_t *offset, size_t size) {
    return sendfile64(to, from, (off64_t *)offset, size);
}

static int synced(int fd, int result, char kind) {
    char path[PATH_MAX];
    if (!result && logged[0] && path_of(fd, path)) note(kind, path, "", fd, 0, "", 0);
    return result;
}
int fsync(int fd) { return fails_at('s', fd) ? -1 : synced(fd, NEXT(fsync)(fd), 's'); }
int fdatasync(int fd) { return fails_at('s', fd) ? -1 : synced(fd, NEXT(fdatasync)(fd), 's'); }
int sync_file_range(int fd, off64_t offset, off64_t size, unsigned flags) {
    return synced(fd, NEXT(sync_file_range)(fd, offset, size, flags), 'h');
}

#define TRUNCATE(name, type) \
    int name(int fd, type size) { \
        char path[PATH_MAX]; \
        if (fails_at('w', fd)) return -1; \
        if (logged[0] && path_of(fd, path)) note('t', path, "", fd, (uint64_t)size, "", 0); \
        return NEXT(name)(fd, size); \
    }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

static int opened(int dir, const char *name, int flags, mode_t mode) {
    char path[PATH_MAX], seen[PATH_MAX];
    struct stat it;
    resolve(dir, name, path);
    int writes = (flags & O_ACCMODE) != O_RDONLY || flags & O_CREAT;
    if (writes && fails('o', path)) return -1;
    int was = logged[0] && flags & O_CREAT && is_below(path) ? lstat(path, &it) == 0 : 1;
    int fd = (int)syscall(SYS_openat, dir, name, flags, mode);
    if (fd < 0) { return -1; }
    if (logged[0] && path_of(fd, seen)) {
        if (!was) note('c', seen, "", fd, 0, "", 0);
        else if (flags & O_TRUNC) note('t', seen, "", fd, 0, "", 0);
    }
    return fd;
}

#define MODE \
    mode_t mode = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { va_list more; va_start(more, flags); mode = va_arg(more, mode_t); va_end(more); }
int open(const char *path, int flags, ...) { MODE return opened(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE return opened(AT_FDCWD, path, flags, mode); }
int openat(int dir, const char *path, int flags, ...) { MODE return opened(dir, path, flags, mode); }
int openat64(int dir, const char *path, int flags, ...) { MODE return opened(dir, path, flags, mode); }
int creat(const char *path, mode_t mode) {
    return opened(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

/* A change of names: its path, the other one, and how it is made. */
static long named(char kind, int dir, const char *old, int to, const char *new, long how, long flags) {
    char path[PATH_MAX], other[PATH_MAX] = "";
    resolve(dir, old, path);
    if (new) resolve(to, new, other);
    if (fails('n', new ? other : path)) return -1;
    if (kind == 'r' || kind == 'l' || kind == 'u') note(kind, path, other, -1, 0, "", 0);
    long result = new ? syscall(how, dir, old, to, new, flags) : syscall(how, dir, old, flags);
    if (!result && kind == 'd') note(kind, path, other, -1, 0, "", 0);
    return result;
}
int rename(const char *a, const char *b) {
    return (int)named('r', AT_FDCWD, a, AT_FDCWD, b, SYS_renameat2, 0);
}
int renameat(int d, const char *a, int e, const char *b) {
    return (int)named('r', d, a, e, b, SYS_renameat2, 0);
}
int renameat2(int d, const char *a, int e, const char *b, unsigned flags) {
    return (int)named('r', d, a, e, b, SYS_renameat2, flags);
}
int link(const char *a, const char *b) {
    return (int)named('l', AT_FDCWD, a, AT_FDCWD, b, SYS_linkat, 0);
}
int linkat(int d, const char *a, int e, const char *b, int flags) {
    return (int)named('l', d, a, e, b, SYS_linkat, flags);
}
int unlink(const char *a) { return (int)named('u', AT_FDCWD, a, 0, NULL, SYS_unlinkat, 0); }
int unlinkat(int d, const char *a, int flags) {
    return (int)named('u', d, a, 0, NULL, SYS_unlinkat, flags);
}
int rmdir(const char *a) { return (int)named('u', AT_FDCWD, a, 0, NULL, SYS_unlinkat, AT_REMOVEDIR); }
int mkdir(const char *a, mode_t mode) {
    return (int)named('d', AT_FDCWD, a, 0, NULL, SYS_mkdirat, mode);
}
int mkdirat(int d, const char *a, mode_t mode) {
    return (int)named('d', d, a, 0, NULL, SYS_mkdirat, mode);
}
int fchmod(int fd, mode_t mode) {
    char path[PATH_MAX];
    int result = NEXT(fchmod)(fd, mode);
    if (!result && logged[0] && path_of(fd, path)) note('m', path, "", fd, 0, "", 0);
    return result;
}
int chmod(const char *name, mode_t mode) {
    char path[PATH_MAX];
    int result = NEXT(chmod)(name, mode);
    resolve(AT_FDCWD, name, path);
    if (!result) note('m', path, "", -1, 0, "", 0);
    return result;
}

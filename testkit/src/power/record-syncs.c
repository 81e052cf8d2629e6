/*
 * Records how many bytes of each file a process has synced to the disk. Preloaded (LD_PRELOAD) into a process whose machine
 * shall lose power in a test: `power-loss.ts` kills the process and then takes away what was not synced.
 *
 * Each line of the file POWER_LOSS_RECORD is `<kind> <inode> <birth, seconds> <birth, nanoseconds> <bytes>`. Kinds: `S` the
 * first bytes were synced; `T` the file was truncated to these bytes; `D` every write to the file is synced (O_SYNC, O_DSYNC);
 * `A` the process synced all files at once, which `power-loss.ts` does not know how to repeat.
 *
 * Nothing is really synced: the machine does not lose power, and a slow disk would only make the specs slow. The bytes are
 * those at the call. Writes through a mapping (mmap) are not recorded.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int record = -1;

__attribute__((constructor)) static void open_record(void) {
  const char *path = getenv("POWER_LOSS_RECORD");
  int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
  int low = path ? real(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
  /* A high number, which no program closes by counting from 3. */
  record = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, 700);
  if (low >= 0) close(low);
  if (record < 0) {
    fprintf(stderr, "record-syncs: POWER_LOSS_RECORD cannot be opened: %s\n", strerror(errno));
    _exit(111);
  }
}

static int stat_of(int fd, struct statx *found) {
  return statx(fd, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME | STATX_SIZE | STATX_TYPE, found) == 0 &&
         S_ISREG(found->stx_mode);
}

static void write_line(char kind, const struct statx *file, unsigned long long bytes) {
  char line[120];
  int error = errno;
  int length = snprintf(line, sizeof line, "%c %llu %lld %u %llu\n", kind, (unsigned long long)file->stx_ino,
                        (long long)file->stx_btime.tv_sec, file->stx_btime.tv_nsec, bytes);
  if (write(record, line, length) != length) _exit(112);
  errno = error;
}

static int synced(int fd) {
  struct statx file;
  if (fcntl(fd, F_GETFD) < 0) return -1;
  if (stat_of(fd, &file)) write_line('S', &file, file.stx_size);
  return 0;
}

int fsync(int fd) { return synced(fd); }
int fdatasync(int fd) { return synced(fd); }

static void synced_all(void) {
  struct statx none;
  memset(&none, 0, sizeof none);
  write_line('A', &none, 0);
}

void sync(void) { synced_all(); }

int syncfs(int fd) {
  if (fcntl(fd, F_GETFD) < 0) return -1;
  synced_all();
  return 0;
}

static void truncated(int fd) {
  struct statx file;
  if (stat_of(fd, &file)) write_line('T', &file, file.stx_size);
}

int ftruncate(int fd, off_t length) {
  int (*real)(int, off_t) = dlsym(RTLD_NEXT, "ftruncate");
  int result = real(fd, length);
  if (result == 0) truncated(fd);
  return result;
}

int ftruncate64(int fd, off64_t length) { return ftruncate(fd, length); }

int truncate(const char *path, off_t length) {
  int (*real)(const char *, off_t) = dlsym(RTLD_NEXT, "truncate");
  int result = real(path, length);
  int fd = result == 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (fd >= 0) {
    truncated(fd);
    close(fd);
  }
  return result;
}

int truncate64(const char *path, off64_t length) { return truncate(path, length); }

static int opened(int fd, int flags) {
  struct statx file;
  if (fd < 0 || !(flags & (O_CREAT | O_TRUNC | O_SYNC | O_DSYNC)) || record < 0 || !stat_of(fd, &file)) return fd;
  /* A new file may have the inode, and within a tick of the clock also the birth, of a file that was removed. */
  if (file.stx_size == 0) write_line('T', &file, 0);
  if (flags & (O_SYNC | O_DSYNC)) write_line('D', &file, file.stx_size);
  return fd;
}

#define MODE(flags)                                 \
  mode_t mode = 0;                                  \
  if ((flags) & (O_CREAT | O_TMPFILE)) {            \
    va_list more;                                   \
    va_start(more, flags);                          \
    mode = va_arg(more, int);                       \
    va_end(more);                                   \
  }

int open(const char *path, int flags, ...) {
  MODE(flags)
  int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
  return opened(real(path, flags, mode), flags);
}

int open64(const char *path, int flags, ...) {
  MODE(flags)
  int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, "open64");
  return opened(real(path, flags, mode), flags);
}

int openat(int folder, const char *path, int flags, ...) {
  MODE(flags)
  int (*real)(int, const char *, int, ...) = dlsym(RTLD_NEXT, "openat");
  return opened(real(folder, path, flags, mode), flags);
}

int openat64(int folder, const char *path, int flags, ...) {
  MODE(flags)
  int (*real)(int, const char *, int, ...) = dlsym(RTLD_NEXT, "openat64");
  return opened(real(folder, path, flags, mode), flags);
}

static FILE *opened_stream(FILE *stream, const char *mode) {
  if (stream) opened(fileno(stream), mode[0] == 'w' ? O_TRUNC : 0);
  return stream;
}

FILE *fopen(const char *path, const char *mode) {
  FILE *(*real)(const char *, const char *) = dlsym(RTLD_NEXT, "fopen");
  return opened_stream(real(path, mode), mode);
}

FILE *fopen64(const char *path, const char *mode) {
  FILE *(*real)(const char *, const char *) = dlsym(RTLD_NEXT, "fopen64");
  return opened_stream(real(path, mode), mode);
}

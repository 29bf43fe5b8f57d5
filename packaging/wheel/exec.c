/* A name of a tool: becomes the tool beside it, TOOL, which looks at the name that it was called by. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char path[PATH_MAX + sizeof TOOL];
    const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);

    (void)argc;
    if (length < 0) {
        fprintf(stderr, "%s: cannot read /proc/self/exe: %s\n", argv[0], strerror(errno));
        return 126;
    }
    path[length] = '\0';
    strcpy(strrchr(path, '/') + 1, TOOL);
    execv(path, argv);
    fprintf(stderr, "%s: cannot run %s: %s\n", argv[0], path, strerror(errno));
    return errno == ENOENT ? 127 : 126;
}

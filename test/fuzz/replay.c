/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay: runs a fuzz driver over its corpus and every find, so that plain ctest repeats what fuzzing once found.
 *
 * Arguments are files or folders of files; a missing folder is an empty corpus. The empty input is always tried.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t replayed;

static void replay_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data =
        malloc(size ? size : 1); /* exactly as large as the input, so that a sanitizer sees a read past it */
    if (!file || !data || fread(data, 1, size, file) != size) {
        perror(path);
        exit(1);
    }
    fclose(file);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    replayed++;
}

static void replay(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return;
    if (!S_ISDIR(st.st_mode)) {
        replay_file(path, (size_t)st.st_size);
        return;
    }
    struct dirent **entries;
    int n = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char child[4096];
        snprintf(child, sizeof child, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            replay(child);
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
}

int main(int argc, char **argv)
{
    LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    for (int i = 1; i < argc; i++)
        replay(argv[i]);
    printf("replayed %zu inputs\n", replayed);
    return 0;
}

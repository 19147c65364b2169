/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fault.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct fault {
    const char *name; /* NULL: none is wanted */
    size_t n_name;
    atomic_long left; /* passes, this one included, until it happens */
};

static struct fault to_kill, to_hang;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* "name" or "name:N". */
static void read_fault(const char *variable, struct fault *f)
{
    f->name = getenv(variable);
    if (f->name == NULL)
        return;
    f->n_name = strcspn(f->name, ":");
    atomic_store(&f->left, f->name[f->n_name] == ':' ? strtol(f->name + f->n_name + 1, NULL, 10) : 1);
}

static void read_faults(void)
{
    read_fault("TIDEMARK_KILL_AT", &to_kill);
    read_fault("TIDEMARK_HANG_AT", &to_hang);
}

static int is_due(struct fault *f, const char *name)
{
    return f->name != NULL && strlen(name) == f->n_name && memcmp(name, f->name, f->n_name) == 0 &&
           atomic_fetch_sub(&f->left, 1) == 1;
}

void fault_pass(const char *name)
{
    pthread_once(&once, read_faults);
    if (is_due(&to_kill, name))
        kill(getpid(), SIGKILL);
    while (is_due(&to_hang, name))
        for (;;)
            pause();
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "test/support/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static uint64_t random_state = 1;

int random_begin(int default_rounds)
{
    const char *seed = getenv("SEED");
    const char *rounds = getenv("ROUNDS");
    uint64_t number = seed == NULL ? (uint64_t)time(NULL) ^ (uint64_t)getpid() << 32 : strtoull(seed, NULL, 10);
    int wanted = rounds == NULL ? default_rounds : atoi(rounds);
    random_state = number | 1; /* the generator would stay at 0 */
    printf("SEED=%llu ROUNDS=%d\n", (unsigned long long)number, wanted);
    return wanted;
}

/* xorshift64* (Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled"). */
uint64_t random_word(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * UINT64_C(2685821657736338717);
}

uint64_t random_below(uint64_t n)
{
    return (random_word() >> 1) % n;
}

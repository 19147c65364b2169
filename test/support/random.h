/* SPDX-License-Identifier: Apache-2.0 */
/*
 * random: the numbers of the property tests. SEED=n repeats a run, ROUNDS=n makes it longer; both are printed.
 *
 * One thread.
 */
#ifndef TIDEMARK_TEST_SUPPORT_RANDOM_H
#define TIDEMARK_TEST_SUPPORT_RANDOM_H

#include <stdint.h>

/* Begins a run with the seed of the environment, or a new one; returns how many rounds are wanted. */
int random_begin(int default_rounds);

uint64_t random_word(void);

/* From 0 to n - 1; n > 0. */
uint64_t random_below(uint64_t n);

#endif

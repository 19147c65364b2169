/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loan: memory that is lent to the producer, record by record, and who is told when one is back.
 *
 * The lender puts a struct loan at the start of what it lends from and counts for itself; the loan travels as the
 * record's opaque. Loop thread only.
 */
#ifndef TIDEMARK_BASE_LOAN_H
#define TIDEMARK_BASE_LOAN_H

struct loan {
    void (*back)(struct loan *loan); /* one record of it is delivered, failed or purged */
};

#endif

# SPDX-License-Identifier: Apache-2.0
"""bench: tidemark and Debezium at the same work, on this machine, in one run.

  load        the tables, and how they are filled
  contender   the two programs: start, stop, CPU and memory
  measure     rates from the broker's append times, records checked by a read_committed consumer; how late single ones come
  rows        the work they are given
  __main__    which rows to run; the table at the end, and the same as JSON
  micro       instructions of the hot path, without servers

Figures are ratios of one run. A single time of one program says more about the machine than about the program.
"""

# SPDX-License-Identifier: Apache-2.0
"""bench: tidemark and Debezium at the same work, on this machine, in one run.

  rows        what is measured, against whom, and what is asked of it
  backlog     work of many records that is done as fast as it goes
  moments     work of few records, of which time matters, or none
  trial       one program at one piece of work, and what goes with it afterwards
  load        the tables, and how they are filled
  contender   the programs: settings, start, signals
  measure     rates from the broker's append times, records checked by a read_committed consumer; how late single ones come
  ceiling     the limit that a rate is a share of; ceiling.c is its program
  figures     medians, ratios and bars
  report      what came of it, as JSON, as text, as a page's table
  chart       the same as an SVG
  __main__    which rows to run, and how
  micro       instructions of the hot path, without servers
  check       tests of figures, chart and report; ./dev test unit -R bench

Figures are ratios of one run. A single time of one program says more about the machine than about the program.
"""

# SPDX-License-Identifier: Apache-2.0
"""usage: ./dev soak [MINUTES] [--seed N]      random faults, load, statements and snapshots together; 60 minutes unless told
       ./dev soak large [PART…]            what is large at full size; parts: transaction, compressed, tables, captured, beside,
                                           seek, tls [MINUTES]

Exit code 0: all was well; 1: something was not, and the files are kept; 2: it could not be begun.
"""
import random
import sys

from harness import Unavailable


def main(arguments):
    seed = random.randrange(1 << 24)
    if "--seed" in arguments:
        at = arguments.index("--seed")
        seed = int(arguments[at + 1])
        del arguments[at:at + 2]
    try:
        if arguments[:1] == ["large"]:
            from soak import large
            return 0 if large.run(arguments[1:]) else 1
        from soak import random_faults
        return 0 if random_faults.run(float(arguments[0]) if arguments else 60, seed) else 1
    except (Unavailable, ValueError, IndexError) as why:
        print(f"{why}\n{__doc__}", file=sys.stderr)
        return 2


sys.exit(main(sys.argv[1:]))

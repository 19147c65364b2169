# SPDX-License-Identifier: Apache-2.0
"""golden_compare: how two runs differ, topic by topic and record by record."""


def differences(got, expected):
    """Sentences; [] when all records are alike. Both: topic -> records in order."""
    found = []
    for topic in sorted(set(expected) | set(got)):
        ours, theirs = got.get(topic, []), expected.get(topic, [])
        found += [f"record {i} of {topic} {first_difference(a, b)}" for i, (a, b) in enumerate(zip(ours, theirs)) if not b == a]
        found += [f"a record more than recorded in {topic}: {text}" for text in ours[len(theirs):]]
        found += [f"a record missing in {topic}: {text}" for text in theirs[len(ours):]]
    return found


def first_difference(a, b):
    b = str(b)
    at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    return f"differs at {at}\n got      …{a[max(0, at - 80):at + 200]}\n recorded …{b[max(0, at - 80):at + 200]}"

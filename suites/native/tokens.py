"""Counts a text's words and their neighbours, and finds the heaviest way through them."""
import collections
import heapq
import sys

words = open(sys.argv[1], encoding="ascii").read().split()[:60000]
follows = collections.defaultdict(collections.Counter)
for one, two in zip(words, words[1:]):
    follows[one][two] += 1
best, heap = {}, [(0.0, words[0])]
while heap:
    cost, word = heapq.heappop(heap)
    if word in best:
        continue
    best[word] = cost
    total = sum(follows[word].values())
    for other, count in follows[word].items():
        if other not in best:
            heapq.heappush(heap, (cost + 1 - count / total, other))
print(len(follows), len(best), f"{max(best.values()):.6f}")

"""python -m duet_bench ...: the program, or with `parquet FOLDER [STORE]` the store's views."""

import os
import sys

import duet_bench


def main():
    words = sys.argv[1:]
    if words[:1] == ["parquet"]:
        if len(words) not in (2, 3):
            sys.exit("usage: python -m duet_bench parquet FOLDER [STORE]")
        for path in duet_bench.write_parquet(words[1], *words[2:]):
            print(path)
        return
    path = duet_bench.program()
    os.execv(path, [path, *words])


if __name__ == "__main__":
    main()

// SPDX-License-Identifier: MIT
'use strict';
/**
 * Options for tinybench (and so for `bench()` of vitest), by which its task meets the other side
 * before each call:
 *
 *     const bench = new Bench(withDuet({ name: 'parse' }));
 *     bench.add('parse', () => parse(text));
 *     await bench.run();
 *
 * Without duet the options come back as they are. Under duet a call is an iteration, duet decides how
 * many there are, and the bench is aborted then. One task: a bench with several measures the first.
 */
const { Duet, wanted } = require('./index.js');

function withDuet(options = {}) {
  if (!wanted()) return options;
  const d = new Duet(options.name ?? 'tinybench');
  const controller = new AbortController();
  let timed = false;
  let enough = false;
  // tinybench reads the clock twice a call: before it and after it.
  function now() {
    if (!enough && !timed) {
      if (d.next()) {
        d.begin();
        timed = true;
      } else {
        enough = true;
        controller.abort();
        try {
          d.close();
        } catch (error) {
          console.error(`${error.name}: ${error.message}`);
          process.exitCode = 1;
        }
      }
    } else if (!enough) {
      d.end();
      timed = false;
    }
    return performance.now();
  }
  return {
    ...options,
    time: 0,
    iterations: Number.MAX_SAFE_INTEGER,
    warmup: false,
    signal: controller.signal,
    timestampProvider: { name: 'duet', fn: now, fromMs: (ms) => ms, toMs: (value) => value },
  };
}

module.exports = { withDuet };

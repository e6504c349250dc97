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
 * Without duet the options come back as they are. Under duet a call is an iteration, and duet decides how
 * many there are. One task: a bench with several measures the first.
 */
const { Duet, DuetError, wanted } = require('./index.js');

function withDuet(options = {}) {
  if (!wanted()) return options;
  for (const option of ['concurrency', 'subtractTimerOverhead']) {
    if (options[option]) throw new DuetError(`duet cannot measure a bench with ${option}`);
  }
  let d;
  let timed = false;
  let enough = false;
  function begin() {
    d ??= new Duet(options.name ?? 'tinybench'); // not before: vitest may execute another bench only
    if (d.next()) {
      timed = true;
      d.begin();
    } else {
      enough = true;
      d.close();
    }
  }
  // An exception in the task is in its result, which nobody may look at.
  process.once('exit', () => {
    if (timed) {
      console.error(`DuetError: a task of ${options.name ?? 'tinybench'} threw an exception`);
      process.exitCode = 1;
    }
  });
  // tinybench reads the clock twice a call: before it and after it.
  function now() {
    try {
      if (timed) {
        d.end();
        timed = false;
      } else if (!enough) {
        begin();
      }
    } catch (error) {
      enough = true;
      console.error(`${error.name}: ${error.message}`);
      process.exitCode = 1;
    }
    return performance.now();
  }
  // All versions compare with it before each call. An aborted task has no result in version 2, which
  // vitest takes, and calls warm-up by itself.
  const iterations = { valueOf: () => (enough ? 0 : Number.MAX_SAFE_INTEGER) };
  return {
    ...options,
    time: 0,
    iterations,
    warmup: false,
    warmupTime: 0,
    warmupIterations: 0,
    now,
    timestampProvider: undefined,
  };
}

module.exports = { withDuet };

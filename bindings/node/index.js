// SPDX-License-Identifier: MIT
'use strict';
/**
 * The harness of duet for Node.js: the functions of duet.h under their names.
 *
 *     const { Duet } = require('duet-harness');
 *     const d = new Duet('parse');   // attaches to a running duet, or works alone
 *     while (d.next()) {             // false: enough
 *       const text = prepare();      // not timed
 *       d.begin();                   // both sides are released together
 *       parse(text);
 *       d.end();
 *     }
 *     d.close();                     // throws when an error ended the run
 *
 * Started without duet, the program measures itself and prints its times.
 */
const path = require('node:path');

/** Attaching failed, an error ended the run, or calls came in a wrong order. */
class DuetError extends Error {
  constructor(message) {
    super(message);
    this.name = 'DuetError';
  }
}

let loaded;
function library() {
  const file = process.env.DUET_NODE_LIBRARY || path.join(__dirname, 'duet.node');
  try {
    loaded ??= require(path.resolve(file));
  } catch (error) {
    throw new DuetError(`cannot load ${file} (${error.message}); build it with build.sh, or name it in DUET_NODE_LIBRARY`);
  }
  return loaded;
}

/** Whether a runner started this process and waits for somebody to attach. */
function wanted() {
  return Boolean(process.env.DUET_ATTACH);
}

/** This process's part in a measurement. `begin()` blocks: nothing else of the event loop runs. */
class Duet {
  #native = library();
  #handle;

  constructor(name = path.basename(process.argv[1] ?? 'node')) {
    this.#handle = this.#native.open(String(name));
  }

  /** Whether another iteration is wanted. It may be a filler, which is not recorded. */
  next() {
    return this.#native.next(this.#handle) !== 0;
  }

  /** Waits for the other side and starts the clock. */
  begin() {
    this.#native.begin(this.#handle);
  }

  /** Stops the clock; then waits until the other side has ended its iteration too. */
  end() {
    this.#native.end(this.#handle);
  }

  /** Says that the iteration executes so many operations, 1 to 2^53. */
  count(operations) {
    this.#native.count(this.#handle, operations);
  }

  /** Ends the region that is open and begins `name`; without one none. */
  region(name) {
    this.#native.region(this.#handle, name);
  }

  /** Leaves the measurement to another process, before the first begin(). */
  handOn() {
    this.#native.handOn(this.#handle);
  }

  get attached() {
    return this.#native.attached(this.#handle) !== 0;
  }

  get index() {
    return this.#native.index(this.#handle);
  }

  /** Ends the measurement; alone, it prints the times. A second call does nothing. */
  close() {
    if (this.#handle === undefined) return;
    const handle = this.#handle;
    this.#handle = undefined;
    const reason = this.#native.reason(handle);
    if (this.#native.close(handle) !== 0) {
      throw new DuetError(reason ?? 'the measurement was ended by an error');
    }
  }
}

let measured;
/**
 * Measures calls of a synchronous function, in batches of about 200 µs that are compared by time
 * per call. One function of a process. `warmupMs`: calls before the first iteration, in which the
 * compiler does most of its work.
 */
function measure(name, work, { batch, warmupMs = 500 } = {}) {
  if (measured !== undefined) {
    throw new DuetError(`duet measures one benchmark of a process, and that was ${measured}; select one, such as ${name}`);
  }
  measured = name;
  const d = new Duet(name);
  const start = process.hrtime.bigint();
  let calls = 0;
  let last = [start, 0];
  const least = batch == null ? 1 : 0; // whose time says how many make a batch
  for (let now = start; calls < least || now - start < BigInt(Math.round(warmupMs * 1e6)); now = process.hrtime.bigint()) {
    if (now - start < BigInt(Math.round(warmupMs * 5e5))) last = [now, calls]; // compiled by then
    if (typeof work()?.then === 'function') {
      throw new DuetError(`${name} is asynchronous, and measure() does not wait for it: await it between begin() and end()`);
    }
    calls++;
  }
  const each = Number(process.hrtime.bigint() - last[0]) / Math.max(1, calls - last[1]);
  const size = batch ?? Math.max(1, Math.floor(200e3 / each));
  while (d.next()) {
    d.count(size);
    d.begin();
    for (let i = 0; i < size; i++) work();
    d.end();
  }
  d.close();
}

module.exports = { Duet, DuetError, measure, wanted };

// What tests/bindings/test_conformance.py asks of every binding: conformance WHAT WORK [ITERATION].
'use strict';
const { spawnSync } = require('node:child_process');
const { Duet } = require('../index.js');

const [, self, what, words, more] = process.argv;
const thousands = Number(words);
const number = Number(more ?? 0);
let kept = 0;

function work(amount) {
  for (let i = 0; i < amount * 1000; i++) kept = (kept ^ i) + 1 | 0;
}

function plain() {
  return spawnSync(process.execPath, [self, 'plain', words], { stdio: 'inherit' }).status;
}

function measure() {
  const d = new Duet('conformance');
  if (what === 'hand-on') {
    d.handOn();
    if (plain() !== 0) process.exit(1);
  }
  let done = 0;
  for (; d.next(); done++) {
    if (what === 'skip') {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
      continue;
    }
    if (what === 'misuse') d.end();
    if (what === 'count') d.count(number);
    if (what === 'second' && done === 0 && plain() === 0) process.exit(9);
    d.begin();
    if (what === 'kill' && done === number) process.kill(process.pid, 'SIGKILL');
    if (what === 'region') {
      d.region('parse');
      work(thousands);
      d.region('run');
    }
    work(what === 'count' ? thousands * number : thousands);
    d.end();
  }
  if (what === 'report') console.error(d.attached ? 'attached' : 'alone', done);
  d.close();
}

try {
  for (let i = 0; i < 200; i++) work(10); // compiled before the first iteration
  measure();
} catch (error) {
  console.error(`${error.name}: ${error.message}`);
  process.exitCode = 1;
}

// A benchmark of tinybench, alone and beside another one.
import { Bench } from 'tinybench';
import { withDuet } from '../tinybench.js';

const count = Number(process.env.SUM_COUNT ?? 100000);
let kept = 0;
const bench = new Bench(withDuet({ name: 'sum', time: 100 }));
bench.add('sum', () => {
  for (let i = 0; i < count; i++) kept = (kept ^ i) | 0;
});
await bench.run();
if (!process.env.DUET_ATTACH) console.table(bench.table());

import { Command, InvalidArgumentError } from 'commander';
import { benchApiserver } from './apiserver.ts';

/** Every bench prints a table, and as its last line one JSON object with the figures. */
const program = new Command('bench').description('Measures parts of Rackwright.');

program
  .command('apiserver')
  .description('the embedded API server beside a real kube-apiserver with etcd, in alternating rounds')
  .option('--rounds <n>', 'how often each measurement is taken on each server', positive, 3)
  .option('--seconds <n>', 'how long each throughput measurement lasts', positive, 4)
  .option('--clients <n>', 'connections that send one request at a time', positive, 16)
  .option('--watchers <n>', 'watches that see each change', positive, 20)
  .option('--only <server>', 'embedded or real')
  .action(async (options) => {
    const figures = await benchApiserver(options);
    console.log(JSON.stringify(figures));
  });

await program.parseAsync();

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('must be a positive number');
  return value;
}

import { Command, InvalidArgumentError } from 'commander';
import { benchApiserver } from './apiserver.ts';
import { benchBmc } from './bmc/bmc.ts';

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

program
  .command('bmc')
  .description('full inventories of simulated BMCs, for growing fleets and beside Python sushy in alternating rounds')
  .option('--sizes <list>', 'BMCs in each fleet, separated by commas', '100,1000,5000')
  .option('--at-once <n>', 'BMCs read at once', positive, 64)
  .option('--compared <n>', 'BMCs that Python sushy reads too; 0 for none', notNegative, 24)
  .option('--rounds <n>', 'rounds of the comparison', positive, 3)
  .action(async (options) => {
    const figures = await benchBmc(options);
    console.log(JSON.stringify(figures));
  });

await program.parseAsync();

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('must be a positive number');
  return value;
}

function notNegative(text: string): number {
  return text === '0' ? 0 : positive(text);
}

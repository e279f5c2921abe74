import { cpus } from 'node:os';
import { type HostileOptions, runHostile } from '../test/hostile/run-hostile.ts';
import { type Bar, mostLivezMs, printBars } from './apiserver-bars.ts';
import { percentile, printTable, rounded } from './figures.ts';

const mostShown = 20;

/** Attacks a running server, prints the results, and returns the figures; a bar that fails is an exit code of 1. */
export async function benchHostile(options: HostileOptions): Promise<object> {
  const report = await runHostile(options);
  const { codes, undocumented, stored, exitCode, quiet, loaded } = report;
  const livez = Object.fromEntries(
    Object.entries({ quiet, loaded }).map(([name, { times, failures }]) => [
      name,
      {
        answers: times.length,
        failures,
        p50Ms: rounded(percentile(times, 0.5)),
        p99Ms: rounded(percentile(times, 0.99)),
        maxMs: rounded(percentile(times, 1)),
      },
    ]),
  );
  const p99Ms = percentile(loaded.times, 0.99);
  const bars: Bar[] = [
    { bar: 'exits cleanly on SIGTERM: exit code 0', value: exitCode ?? Number.NaN, holds: exitCode === 0 },
    { bar: 'undocumented answers: none', value: undocumented.length, holds: undocumented.length === 0 },
    { bar: 'stored: nothing', value: stored.length, holds: stored.length === 0 },
    { bar: '/livez that fails: none', value: loaded.failures, holds: loaded.failures === 0 },
    { bar: `/livez p99 ms: under ${mostLivezMs}`, value: rounded(p99Ms), holds: p99Ms < mostLivezMs },
  ];
  console.log([printCodes(codes), printLivez(livez), printBars(bars)].join('\n\n'));
  for (const line of [...undocumented, ...stored].slice(0, mostShown)) console.log(line);
  if (bars.some(({ holds }) => !holds)) process.exitCode = 1;
  const seconds = rounded(report.seconds);
  return { bench: 'hostile', cpus: cpus().length, options, seconds, codes, livez, bars };
}

function printCodes(codes: Readonly<Record<string, Readonly<Record<string, number>>>>): string {
  const all = [...new Set(Object.values(codes).flatMap(Object.keys))].toSorted();
  const rows = Object.entries(codes).map(([port, counts]) => [port, ...all.map((code) => counts[code] ?? 0)]);
  return printTable([['port', ...all], ...rows]);
}

function printLivez(livez: Readonly<Record<string, Readonly<Record<string, number>>>>): string {
  const columns = ['answers', 'failures', 'p50Ms', 'p99Ms', 'maxMs'];
  const rows = Object.entries(livez).map(([name, figures]) => [name, ...columns.map((key) => figures[key] ?? 0)]);
  return printTable([['/livez', ...columns], ...rows]);
}

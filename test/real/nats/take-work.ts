/**
 * A worker process for tests: takes work from NATS and prints a line of JSON for each hint, after one that says that it
 * is ready. Arguments: URL, settings as JSON, facility, kind.
 */
import { connectNatsBus } from '../../../src/engine/bus/index.ts';
import { systemClock } from '../../../src/kube/index.ts';
import { noMetrics, silentLogger } from '../../../src/telemetry/index.ts';

const [url = '', settings = '{}', facility = '', kind = ''] = process.argv.slice(2);
const bus = await connectNatsBus({
  url,
  clock: systemClock,
  logger: silentLogger,
  metrics: noMetrics,
  settings: JSON.parse(settings),
});
const print = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);
await bus.takeWork({ facilities: [facility], kinds: [kind], workerId: `${process.pid}` }, print);
await bus.keepAlive(`${process.pid}`, 60_000);
print({ ready: true });
process.once('SIGTERM', () => void bus.close());

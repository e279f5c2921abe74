import { createInterface } from 'node:readline';
import { createClient, systemClock } from '../../src/kube/index.ts';
import { startNetworkControllers } from '../../src/network/index.ts';
import { createMemoryHostKeys, createSwitchProviders } from '../../src/switches/index.ts';
import { createLogger } from '../../src/telemetry/index.ts';
import { countCalls } from './counted-providers.ts';

/** The network controllers for the bench, as a process of their own: answers each line with what switches were asked so far. */
const [kubeconfig = ''] = process.argv.slice(2);
const logger = createLogger({ level: 'error', name: 'bench', write: (line) => void process.stderr.write(line) });
const client = await createClient({ kubeconfig });
const providers = countCalls(
  createSwitchProviders({ clock: systemClock, random: Math.random, hostKeys: createMemoryHostKeys() }),
);
const controllers = startNetworkControllers({ client, providers, clock: systemClock, random: Math.random, logger });
await controllers.whenSynced();
const tell = (): void => void process.stdout.write(`${JSON.stringify(providers.counts)}\n`);
tell();
createInterface({ input: process.stdin }).on('line', tell);

process.once('SIGTERM', async () => {
  await controllers.stop();
  await providers.close();
  await client.close();
  process.exit(0);
});

import { startDiscoveryControllers } from '../../src/discovery/index.ts';
import { openSqliteDatabase } from '../../src/engine/index.ts';
import { startHostControllers } from '../../src/hosts/index.ts';
import { createClient, systemClock } from '../../src/kube/index.ts';
import { fixedBootTokens, openAgents } from '../../src/provisioners/index.ts';
import { createFixedAuthorizer, createRest } from '../../src/rest/index.ts';
import { createLogger, createMetrics } from '../../src/telemetry/index.ts';

/** The endpoint for agents with the controllers of discovery and of hosts, as a process of their own: says where agents go. */
const [kubeconfig = '', database = '', bootToken = '', claimNamespace = ''] = process.argv.slice(2);
const logger = createLogger({ level: 'error', name: 'bench', write: (line) => void process.stderr.write(line) });
const metrics = createMetrics();
const client = await createClient({ kubeconfig });
const store = await openSqliteDatabase({ path: database, clock: systemClock });
const agents = await openAgents({ database: store, bootTokens: fixedBootTokens(bootToken), logger, metrics });
const rest = createRest({
  info: { title: 'agents', description: 'For the bench.', version: '1' },
  authorizer: createFixedAuthorizer({}),
  logger,
  metrics,
});
rest.add(...agents.routes);
const { url } = await rest.listen({ host: '127.0.0.1', port: 0 });
const shell = { client, clock: systemClock, random: Math.random, logger, metrics };
const hosts = startHostControllers({ ...shell, provisioners: agents.provisioners });
const discovery = startDiscoveryControllers({ ...shell, sources: [agents.source], settings: { claimNamespace } });
await Promise.all([hosts.whenSynced(), discovery.whenSynced()]);
process.stdout.write(`${url}/agents\n`);

process.once('SIGTERM', async () => {
  await discovery.stop();
  await hosts.stop();
  agents.close();
  await rest.close();
  await store.close();
  await client.close();
  process.exit(0);
});

import { startHostControllers } from '../../src/hosts/index.ts';
import { createClient, systemClock } from '../../src/kube/index.ts';
import { createDemoProvisioners } from '../../src/provisioners/testing/demo/index.ts';
import { createLogger } from '../../src/telemetry/index.ts';

/** The host controllers for the bench, with demo hosts that take no time: finds the API as any operator does. */
const logger = createLogger({
  level: 'error',
  name: `bench ${process.pid}`,
  write: (line) => void process.stderr.write(line),
});
const client = await createClient({ kubeconfig: process.env.KUBECONFIG });
const provisioners = createDemoProvisioners();
const controllers = startHostControllers({ client, provisioners, clock: systemClock, random: Math.random, logger });

process.once('SIGTERM', async () => {
  await controllers.stop();
  await provisioners.close();
  await client.close();
  process.exit(0);
});

import { randomUUID } from 'node:crypto';
import type { TestContext } from 'node:test';
import type { EngineLimits } from '../../engine/index.ts';
import { startOrc } from '../testing/orc-rig.ts';
import { type PortUnderTest, workerPortContract } from './contract/worker-port-contract.ts';
import { createRemoteWorkerPort } from './remote-worker-port.ts';

async function open(t: TestContext, limits: Partial<EngineLimits>): Promise<PortUnderTest & { url: string }> {
  const rig = await startOrc(t, { limits });
  return {
    ...rig,
    port: rig.engine.worker,
    async order(machine, kind) {
      await rig.addMachine(machine);
      const outcome = await rig.engine.create({
        target: `server/${machine}`,
        client: 'test',
        orders: [{ kind, parameters: {} }],
      });
      if (outcome.outcome !== 'created') throw new Error(`not created: ${outcome.outcome}`);
      return outcome.conditions[0]?.id ?? randomUUID();
    },
  };
}

workerPortContract({ name: 'in the process of the engine', open: (t, limits = {}) => open(t, limits) });

workerPortContract({
  name: 'over HTTP',
  open: async (t, limits = {}) => {
    const rig = await open(t, limits);
    const port = createRemoteWorkerPort({ url: rig.url, token: () => 'worker' });
    t.after(() => port.close());
    return { ...rig, port };
  },
});

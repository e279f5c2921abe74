import { startOrc } from '../testing/orc-rig.ts';
import { workerPortContract } from './contract/worker-port-contract.ts';
import { createRemoteWorkerPort } from './remote-worker-port.ts';

workerPortContract({
  name: 'in the process of the engine',
  isDriven: true,
  open: async (t, limits = {}) => {
    const rig = await startOrc(t, { limits });
    return { ...rig, port: rig.engine.worker };
  },
});

workerPortContract({
  name: 'over HTTP',
  isDriven: true,
  open: async (t, limits = {}) => {
    const rig = await startOrc(t, { limits });
    const port = createRemoteWorkerPort({ url: rig.url, token: () => 'worker' });
    t.after(() => port.close());
    return { ...rig, port };
  },
});

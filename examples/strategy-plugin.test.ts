import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { after } from 'node:test';
import { systemClock } from 'rackwright/kube';
import type { StrategyTools } from 'rackwright/strategies';
import { runStrategyContract } from 'rackwright/strategies/contract';
import { strategy } from './strategy-plugin/strategy.ts';

// The agent of one host, which takes no time to install.
let installed: Record<string, string> = {};
let installs = 0;
const agent = createServer(async (request, response) => {
  if (request.method === 'POST') {
    const { component, version } = (await json(request)) as { component: string; version: string };
    installed[component] = version;
    installs += 1;
  }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(installed));
});
agent.listen(0, '127.0.0.1');
await once(agent, 'listening');
after(() => agent.close());

// Waiting costs no time here.
const clock = { ...systemClock, after: (_ms: number, act: () => void) => systemClock.after(0, act) };

runStrategyContract('rackwright-strategy-agent', {
  factory: strategy,
  settings: { agentUrl: `http://127.0.0.1:${(agent.address() as AddressInfo).port}/{id}` },
  badSettings: [undefined, {}, { agentUrl: 'not an address' }],
  async scene() {
    installed = { bios: '1.0', bmc: '7.0' };
    installs = 0;
    return {
      tools: { clock } as unknown as StrategyTools,
      target: 'server/one',
      parameters: {
        firmwares: [
          {
            component: 'bios',
            version: '2.0',
            URL: 'http://images.example/bios',
            checksum: `sha256:${'0'.repeat(64)}`,
          },
        ],
      },
      isInstalled: () => installed.bios === '2.0',
      countInstalls: () => installs,
    };
  },
});

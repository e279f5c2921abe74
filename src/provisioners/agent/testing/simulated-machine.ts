import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type DataCentre, type Host, startDataCentre } from '../../../../simulator/index.ts';

/** For tests: an image that can be fetched. */
export interface ServedImage {
  readonly url: string;
  readonly sha256: string;
  /** Where a list of checksums is. */
  readonly sumsUrl: string;
  close(): Promise<void>;
}

/** For tests: serves an image, and a list with its checksum, on a free port. */
export async function serveImage(): Promise<ServedImage> {
  const content = Buffer.from('an operating system');
  const sha256 = createHash('sha256').update(content).digest('hex');
  const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
    response.end(request.url === '/SHA256SUMS' ? `${'0'.repeat(64)}  other.raw\n${sha256}  os.raw\n` : content);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${base}/os.raw`,
    sumsUrl: `${base}/SHA256SUMS`,
    sha256,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** For tests: a simulated server, and the hand that starts it. */
export interface SimulatedMachine {
  readonly dataCentre: DataCentre;
  readonly host: Host;
  readonly macs: readonly string[];
  /** Starts it, from the network. */
  bootFromNetwork(): void;
}

/** For tests: starts a data centre with one server whose agent reports to that address. */
export async function startMachine(agent: { readonly url: string; readonly token: string }): Promise<SimulatedMachine> {
  const dataCentre = await startDataCentre({
    ...{ seed: 7, servers: 1, speed: 20_000, personalities: ['dell-idrac9'], isPlain: true },
    agent: { kind: 'rackwright', ...agent },
  });
  const [host] = dataCentre.hosts;
  if (host === undefined) throw new RangeError('there is no host');
  const { machine } = host;
  return {
    dataCentre,
    host,
    macs: machine.hardware.nics.flatMap(({ ports }) => ports.map(({ mac }) => mac.toLowerCase())),
    bootFromNetwork() {
      machine.boot.set({ enabled: 'Once', target: 'Pxe' });
      machine.power.reset(machine.power.state === 'Off' ? 'On' : 'ForceRestart');
    },
  };
}

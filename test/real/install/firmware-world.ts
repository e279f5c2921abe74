import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { fleetManifests, startDataCentre } from '../../../simulator/index.ts';
import { updateRpc } from '../../../src/api/index.ts';
import { until } from '../ironic/until.ts';
import type { ClusterObjects, ObjectName } from './cluster-objects.ts';

/** A BMC, and an update service that takes every request and does nothing. */
export interface FirmwareWorld {
  readonly updateServiceUrl: string;
  /** A BMC becomes a Server with firmware of a group. */
  live(objects: ClusterObjects): Promise<void>;
  /** And goes again. */
  end(objects: ClusterObjects): Promise<void>;
  stop(): Promise<void>;
}

const ironcore = 'metal.ironcore.dev/v1alpha1';
const bmc: ObjectName = [ironcore, 'BMC', 'r01-s01'];

/** Starts both. */
export async function startFirmwareWorld(): Promise<FirmwareWorld> {
  const dataCentre = await startDataCentre({ seed: 1, servers: 1, personalities: ['dell-idrac9'] });
  const accept = async () => ({ status: updateRpc.RequestStatus.SCHEDULED, jobId: 'job-1' });
  const server = createServer(
    connectNodeAdapter({
      routes: (router) => router.service(updateRpc.UpdateService, { update: accept, scan: accept, discover: accept }),
    }),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    updateServiceUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async live(objects) {
      const manifests = [...fleetManifests({ namespace: 'none', ...dataCentre }).values()].flat();
      const own = manifests.filter(({ kind }) => kind === 'BMC' || kind === 'BMCSecret');
      for (const each of own) await objects.apply(JSON.stringify(each));
      await liveWithFirmware(objects);
    },
    async end(objects) {
      await objects.remove([ironcore, 'ServerFirmwareGroup', 'all'], [ironcore, 'DiscoveredFirmware', 'r750']);
      await objects.remove(bmc);
    },
    async stop() {
      server.close();
      await dataCentre.close();
    },
  };
}

async function liveWithFirmware(objects: ClusterObjects): Promise<void> {
  const server = await until({
    what: 'a Server of the BMC',
    timeoutMs: 120_000,
    look: async () => (await objects.list('Server', ironcore))[0],
  });
  const name = server.metadata?.name ?? '';
  await objects.untilSo([ironcore, 'ServerFirmware', name], (it) => it !== undefined);
  await objects.patch([ironcore, 'Server', name], { metadata: { labels: { tier: 'all' } } });
  const { manufacturer = 'Dell Inc.' } = (server.status ?? {}) as { manufacturer?: string };
  await objects.apply(`
apiVersion: metal.ironcore.dev/v1alpha1
kind: ServerFirmwareGroup
metadata: { name: all }
spec:
  serverSelector: { matchLabels: { tier: all } }
  firmwares: [{ name: bios, manufacturer: "${manufacturer}", version: 99.0.0 }]
---
apiVersion: metal.ironcore.dev/v1alpha1
kind: DiscoveredFirmware
metadata: { name: r750 }
spec: { manufacturer: "${manufacturer}", model: PowerEdge R750 }
`);
  await objects.untilSo([ironcore, 'ServerFirmware', name], (it) => JSON.stringify(it?.spec).includes('99.0.0'));
  await objects.untilSo([ironcore, 'DiscoveredFirmware', 'r750'], (it) => it?.status !== undefined);
}

import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { fleetManifests, startDataCentre } from '../../../simulator/index.ts';
import {
  operationAnnotation,
  retryOperation,
  type ServerFirmwareGroupStatus,
  updateRpc,
} from '../../../src/api/index.ts';
import type { AnyKubeObject } from '../../../src/kube/index.ts';
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
const all: ObjectName = [ironcore, 'ServerFirmwareGroup', 'all'];
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
      await objects.remove([ironcore, 'ServerFirmwareGroup', 'all'], [ironcore, 'ServerFirmwareGroup', 'rack']);
      await objects.remove(bmc);
    },
    async stop() {
      server.close();
      await dataCentre.close();
    },
  };
}

async function liveWithFirmware(objects: ClusterObjects): Promise<void> {
  const isKnown = ({ status }: AnyKubeObject) => (status as { model?: string } | undefined)?.model !== undefined;
  const server = await until({
    what: 'a Server of the BMC of which the model is known',
    timeoutMs: 240_000,
    look: async () => (await objects.list('Server', ironcore)).find(isKnown),
  });
  const { manufacturer, model } = server.status as { manufacturer: string; model: string };
  const name = server.metadata?.name ?? '';
  const at: ObjectName = [ironcore, 'Server', name];
  await objects.untilSo([ironcore, 'ServerFirmware', name], (it) => it !== undefined);
  await objects.patch(at, { metadata: { labels: { tier: 'all' } } });
  const group = (of: { readonly name: string; readonly label: string }) => `
apiVersion: metal.ironcore.dev/v1alpha1
kind: ServerFirmwareGroup
metadata: { name: ${of.name} }
spec:
  manufacturer: "${manufacturer}"
  model: "${model}"
  serverSelector: { matchLabels: { ${of.label} } }
  firmwares: [{ name: bios, manufacturer: "${manufacturer}", version: 99.0.0 }]
`;
  await objects.apply(group({ name: 'all', label: 'tier: all' }));
  await objects.untilSo([ironcore, 'ServerFirmware', name], (it) => JSON.stringify(it?.spec).includes('99.0.0'));
  await objects.apply(group({ name: 'rack', label: 'rack: r01' }));
  // The model has become known to discovery with the server.
  await until({
    what: 'a DiscoveredFirmware with a status',
    timeoutMs: 240_000,
    look: async () => (await objects.list('DiscoveredFirmware', ironcore)).find(({ status }) => status !== undefined),
  });
  await contest(objects, at);
  await objects.patch(all, { metadata: { annotations: { [operationAnnotation]: retryOperation } } });
  await objects.untilSo(all, (it) => it?.metadata?.annotations?.[operationAnnotation] === undefined);
}

/** Two groups select the server, twice: what is told again is counted, not told anew. */
async function contest(objects: ClusterObjects, server: ObjectName): Promise<void> {
  const isContested = (it: AnyKubeObject | undefined) =>
    (it?.status as ServerFirmwareGroupStatus | undefined)?.conditions?.some(
      ({ type, status }) => type === 'SelectorConflict' && status === 'True',
    ) === true;
  for (const rack of ['r01', null, 'r01', null]) {
    await objects.patch(server, { metadata: { labels: { rack } } });
    await objects.untilSo(all, (it) => isContested(it) === (rack !== null));
  }
}

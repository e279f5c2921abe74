import { randomBytes } from 'node:crypto';
import { home } from '../../../src/manifests/index.ts';
import { createCertificateAuthority } from '../certificate-authority.ts';
import { freePortRange } from '../free-ports.ts';
import type { Scratch } from '../ironic/scratch.ts';
import { startNats } from '../nats/real-nats.ts';
import { startPostgres } from '../postgres/real-postgres.ts';
import { startS3 } from '../s3/real-s3.ts';
import type { ClusterObjects } from './cluster-objects.ts';

/** What an update service of an installation works with, on this machine. */
export interface ServiceWorld {
  /** Where Jobs are made. */
  readonly jobNamespace: string;
  /** Where it takes calls once it runs, and what it is checked against. */
  readonly url: string;
  readonly caPem: string;
  /** What an installation has to be told, as `path=value`. */
  readonly values: readonly string[];
  /** Makes the Secrets that these values name. */
  prepare(objects: ClusterObjects): Promise<void>;
  /** Settings that only make sense here: no name of a Service is known, and nobody waits for minutes. */
  envOf(component: string): Readonly<Record<string, string>>;
}

const jobNamespace = 'rackwright-jobs';

/** Starts a database, NATS and a bucket; they end with the scratch. */
export async function startServiceWorld(scratch: Scratch, catalogUrl: string): Promise<ServiceWorld> {
  const postgres = scratch.keep(await startPostgres());
  const user = { name: 'rackwright', password: randomBytes(8).toString('hex') };
  const nats = scratch.keep(await startNats({ dataDir: scratch.folder('nats'), port: await freePortRange(1), user }));
  const s3 = scratch.keep(await startS3(scratch.folder('s3')));
  const authority = await createCertificateAuthority('updates-test');
  const { certPem, keyPem } = await authority.issueServer('update-service');
  const [port, imagePort] = [await freePortRange(1), await freePortRange(1)];
  const url = `https://127.0.0.1:${port}`;
  const key = { id: randomBytes(8).toString('hex'), secret: randomBytes(32).toString('base64') };
  const { accessKeyId, secretAccessKey } = s3;
  const secrets: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    database: { url: postgres.url },
    'credential-keys': { 'credentials.key': JSON.stringify({ keys: [key] }) },
    nats: { url: nats.url },
    catalogs: { 'catalogs.yaml': JSON.stringify({ catalogs: [{ format: 'plain', location: catalogUrl }] }) },
    's3-key': { 'key.yaml': JSON.stringify({ accessKeyId, secretAccessKey }) },
    'updates-tls': { 'tls.crt': certPem, 'tls.key': keyPem, 'ca.crt': authority.certPem },
  };
  return {
    jobNamespace,
    url,
    caPem: authority.certPem,
    values: [
      ...['database.urlSecret=database', 'database.credentialKeysSecret=credential-keys', 'nats.urlSecret=nats'],
      ...['firmware.bmcInsecure=true', 'updateService.enabled=true', 'updateService.facility=ams1'],
      ...['updateService.tlsSecret=updates-tls', 'updateService.catalogsSecret=catalogs'],
      ...['updateService.launcher=kubernetes', `updateService.jobs.namespace=${jobNamespace}`],
      ...[`updateService.imageStore.bucket=s3://${s3.bucket}/x`, `updateService.imageStore.endpoint=${s3.endpoint}`],
      `updateService.imageStore.url=http://127.0.0.1:${imagePort}`,
      'updateService.imageStore.keySecret=s3-key',
    ],
    async prepare(objects) {
      for (const name of [home, jobNamespace]) {
        await objects.apply(JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
      }
      for (const [name, stringData] of Object.entries(secrets)) {
        const type = name === 'updates-tls' ? 'kubernetes.io/tls' : 'Opaque';
        const metadata = { name, namespace: home };
        await objects.apply(JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata, type, stringData }));
      }
    },
    envOf(component) {
      if (component === 'rackwright-firmware') return { RACKWRIGHT_UPDATE_SERVICE_URL: url };
      if (component !== 'rackwright-update-service') return {};
      return {
        RACKWRIGHT_UPDATE_SERVICE_URL: url,
        RACKWRIGHT_REST_PORT: String(port),
        RACKWRIGHT_IMAGE_STORE_LISTEN: `127.0.0.1:${imagePort}`,
        RACKWRIGHT_POLL_FIRST: '100ms',
        RACKWRIGHT_POLL_MOST: '1s',
        RACKWRIGHT_VERIFY_FIRST: '100ms',
        RACKWRIGHT_VERIFY_MOST: '1s',
        RACKWRIGHT_RETRY_FIRST: '1s',
      };
    },
  };
}

import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { parse } from 'yaml';
import { updateRpc } from '../../src/api/index.ts';
import { type ConnectionSpec, createClient } from '../../src/kube/index.ts';
import { createUpdateServiceClient } from '../../src/update-service/index.ts';
import { startCli } from '../e2e/cli-fixture.ts';
import { freePortRange } from '../real/free-ports.ts';
import { type Job, refs, type Secret } from './objects.ts';
import { startTestJobController } from './test-job-controller.ts';
import { startTestKubelet } from './test-kubelet.ts';

const namespace = 'rackwright-system';
const image = 'registry.example/rackwright:test';
const main = join(import.meta.dirname, '..', '..', 'bin', 'rackwright.mjs');

/** Where images are kept: the options that say so, and what nobody may see of them. */
export interface KeptImages {
  readonly words: readonly string[];
  readonly secrets: readonly string[];
}

/** What `rackwright update-service` does in every cluster whose Jobs do its work. */
export function runUpdateServiceContract(
  name: string,
  connect: () => Promise<ConnectionSpec>,
  options: { readonly hasJobController: boolean; readonly keepImages: (folder: string) => Promise<KeptImages> },
): void {
  describe(`an update service whose jobs are Jobs of ${name}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'kubelet-service-'));
    const at = (file: string): string => join(folder, file);
    const closing: (() => unknown)[] = [];
    after(async () => {
      for (const close of closing.reverse()) await close();
      rmSync(folder, { recursive: true, force: true });
    });

    test('a discovery finds firmware without a checksum, and keeps its image in the store', async () => {
      const spec = await connect();
      const kubeconfig = kubeconfigOf(spec, at('kubeconfig'));
      const client = await createClient(spec);
      closing.push(() => client.close());
      const kubelet = startTestKubelet({
        ...{ client, namespace, folder: at('pods') },
        images: { [image]: [process.execPath, main] },
      });
      closing.push(() => kubelet.stop());
      if (!options.hasJobController) {
        const controller = startTestJobController({ client, namespace });
        closing.push(() => controller.stop());
      }
      const body = writeCatalog(at('catalog'));
      const kept = await options.keepImages(folder);
      // Lists of containers and variables are merged, so that what Jobs need stays.
      const variables = [
        { name: 'RACKWRIGHT_IMAGE_FOLDER', value: at('catalog') },
        { name: 'RACKWRIGHT_LOG_LEVEL', value: 'warn' },
      ];
      const template = { spec: { template: { spec: { containers: [{ name: 'job', env: variables }] } } } };
      writeFileSync(at('template.json'), JSON.stringify(template));
      // Pods are processes of this machine here, so that they find what listens on loopback.
      const [port, imagePort] = [await freePortRange(1), await freePortRange(1)];
      const service = startCli([
        ...['update-service', '--rest-port', String(port), '--data-dir', at('data'), '--facility', 'ams1'],
        ...['--update-service-url', `http://127.0.0.1:${port}`],
        ...['--image-store-listen', `127.0.0.1:${imagePort}`, '--image-store-url', `http://127.0.0.1:${imagePort}`],
        ...['--kubeconfig', kubeconfig, '--launcher', 'kubernetes', '--job-image', image],
        ...['--job-template', at('template.json'), '--catalog', `plain=${at('catalog')}`],
        ...['--allow-unverified-firmware', 'yes', ...kept.words],
      ]);
      closing.push(() => service.end('SIGTERM'));
      await service.until('"msg":"ready"');
      const { url } = JSON.parse(service.printed.out.split('\n').find((line) => line.includes('"ready"')) ?? '');
      const token = tokenOf(kubeconfig);
      const updates = createUpdateServiceClient({ url, token: async () => token });
      const asked = await updates.discover({
        ...{ discoveredFirmware: { name: 'acme-one' }, manufacturer: 'Acme', model: 'One', versionsToStore: 3 },
      });
      assert.equal(asked.status, updateRpc.RequestStatus.SCHEDULED, JSON.stringify(asked.error));
      let [state, message] = [updateRpc.JobState.UNSPECIFIED, ''];
      for await (const { job } of updates.watchJobs({ jobId: asked.jobId })) {
        [state, message] = [job?.state ?? state, `${job?.reason} ${job?.message}`];
        if (job?.finishedAt !== undefined) break;
      }
      assert.equal(state, updateRpc.JobState.SUCCEEDED, `${message}\n${service.printed.out}`);
      assert.equal(kubelet.started, 1);
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(`${url}/api/v1/server-component-firmwares`, { headers });
      const { records } = (await answer.json()) as { records: { checksum: string; repository_url: string }[] };
      const [record = assert.fail('nothing is in the catalogue')] = records;
      assert.equal(record.checksum, `sha256:${createHash('sha256').update(body).digest('hex')}`);
      const fetched = await fetch(record.repository_url);
      assert.deepEqual(Buffer.from(await fetched.arrayBuffer()), body);
      const jobs = (await client.resource<Job>(refs.jobs).list({ namespace })).items;
      const secrets = (await client.resource<Secret>(refs.secrets).list({ namespace })).items;
      const inSecrets = secrets.map(({ data = {} }) => Buffer.from(data['job.json'] ?? '', 'base64').toString()).join();
      for (const secret of kept.secrets) {
        assert.ok(inSecrets.includes(secret), 'the job could not have known the key of the bucket');
        for (const text of [JSON.stringify(jobs), service.printed.out, service.printed.err])
          assert.equal(text.includes(secret), false);
      }
    });
  });
}

/** The kubeconfig of a connection; written to a file where it is in none. */
function kubeconfigOf(spec: ConnectionSpec, file: string): string {
  if ('kubeconfig' in spec && spec.kubeconfig !== undefined) return spec.kubeconfig;
  assert.ok('kubeconfigText' in spec);
  writeFileSync(file, spec.kubeconfigText ?? '', { mode: 0o600 });
  return file;
}

/** A catalogue with one image whose checksum nobody knows. */
function writeCatalog(folder: string): Buffer {
  mkdirSync(folder);
  const body = randomBytes(1000);
  writeFileSync(join(folder, 'bios-2.0.bin'), body);
  const entry = { component: 'bios', manufacturer: 'Acme', models: ['One'], version: '2.0', url: 'bios-2.0.bin' };
  const catalog = { apiVersion: 'rackwright.dev/v1', kind: 'FirmwareCatalog', firmware: [entry] };
  writeFileSync(join(folder, 'catalog.json'), JSON.stringify(catalog));
  return body;
}

function tokenOf(kubeconfig: string): string {
  const { users } = parse(readFileSync(kubeconfig, 'utf8')) as { users: { user: { token: string } }[] };
  return users[0]?.user.token ?? assert.fail('the kubeconfig has no token');
}

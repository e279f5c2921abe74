import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { request } from 'undici';
import { type CliProcess, runCli, startCli, startUp, temporaryFolder } from './cli-fixture.ts';
import { untilSo } from './work-services.ts';

describe('rackwright controllers beside another process', () => {
  const folder = temporaryFolder();
  const dataDir = join(folder.path, 'up');
  const kubeconfig = join(dataDir, 'kubeconfig');
  let up: CliProcess;
  before(async () => {
    up = await startUp(dataDir, ['--simulate', '0']);
  });
  after(async () => {
    await up.end('SIGKILL');
    folder.remove();
  });

  const words = (name: string): readonly string[] => {
    const where = ['--kubeconfig', kubeconfig, '--data-dir', join(folder.path, name)];
    return ['controllers', ...where, '--port', '0', '--rest-port', '0'];
  };

  test('those of the network run alone, and are ready when their caches are full', async (t) => {
    const controllers = startCli([...words('network'), '--only', 'network']);
    t.after(() => controllers.end('SIGKILL'));
    await controllers.until('"msg":"ready"');
    const line = controllers.printed.out.split('\n').find((each) => each.includes('"msg":"ready"')) ?? '';
    const { url, sets } = JSON.parse(line) as { url: string; sets: readonly string[] };
    assert.deepEqual(sets, ['network']);
    await untilSo(async () => (await request(`${url}/readyz`)).statusCode === 200);
    const { out } = await runCli(['get', 'validatingwebhookconfigurations', '--data-dir', dataDir, '-o', 'name']);
    assert.match(out, /rackwright-network/);
    assert.doesNotMatch(out, /rackwright-(hosts|firmware)/);
    assert.equal(await controllers.end('SIGTERM'), 0, controllers.printed.out);
  });

  test('those of hosts do not work past the engine that has the fleet', async () => {
    const hosts = [...words('hosts'), '--only', 'hosts', '--ironic-url', 'http://127.0.0.1:1'];
    const { code, err } = await runCli(hosts);
    assert.equal(code, 4, err);
    assert.match(err, /a work engine looks after the fleet .*name that store with --database-url/);
  });
});

import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { buildConsole } from '../../scripts/build-console.mjs';
import { type Fleet, runCli, startCli, startFleet, startUp } from './cli-fixture.ts';

let fleet: Fleet;
before(async () => {
  fleet = await startFleet();
});
after(() => fleet.close());

describe('rackwright up', () => {
  test('says where it is, how to reach it and where the console is', () => {
    const { out } = fleet.up.printed;
    assert.match(out, /Kubernetes API {3}https:\/\/127\.0\.0\.1:\d+/);
    assert.ok(out.includes(`export KUBECONFIG=${join(fleet.dataDir, 'kubeconfig')}`));
    const token = readFileSync(join(fleet.dataDir, 'admin-token'), 'utf8').trim();
    assert.ok(out.includes(`Admin token      in ${join(fleet.dataDir, 'admin-token')}`));
    assert.ok(!out.includes(token), 'what is no terminal is kept in journals');
    assert.match(out, /Console +http:\/\/127\.0\.0\.1:\d+\/console\/$/m);
  });

  test('the pages of the console are there at once, as set-up built them', async () => {
    buildConsole(join(import.meta.dirname, '..', '..'));
    const url = /Console +(http:\/\/\S+)/.exec(fleet.up.printed.out)?.[1] ?? assert.fail(fleet.up.printed.out);
    const answer = await fetch(url);
    assert.equal(answer.status, 200);
    assert.match(await answer.text(), /<script type="module"[^>]* src="\/console\/assets\//);
  });

  test('the console reaches the API and the REST services from this machine, as whoever asks', async () => {
    const { out } = fleet.up.printed;
    const url = /Console +(http:\/\/\S+)\/console\//.exec(out)?.[1] ?? assert.fail(out);
    const token = readFileSync(join(fleet.dataDir, 'admin-token'), 'utf8').trim();
    const admin = { authorization: `Bearer ${token}` };
    const statusOf = async (path: string, options: RequestInit = {}) => {
      const { status, body } = await fetch(`${url}${path}`, { redirect: 'manual', ...options });
      await body?.cancel();
      return status;
    };
    assert.equal(await statusOf('/console'), 308);
    for (const path of ['/apis/metal3.io/v1alpha1/baremetalhosts', '/console/rest/api/v1/servers', '/audit?limit=1']) {
      assert.equal(await statusOf(path, { headers: admin }), 200, path);
      assert.equal(await statusOf(path, { headers: { authorization: 'Bearer wrong' } }), 401, path);
      assert.equal(await statusOf(path), 401, path);
    }
    const plan = { method: 'POST', body: '{}', headers: { ...admin, 'content-type': 'application/json' } };
    assert.equal(await statusOf('/plan', plan), 200);
    assert.equal(await statusOf('/metrics', { headers: admin }), 404);
  });

  test('the README shows what it prints', async () => {
    // The last line comes when all hosts have come to rest.
    await fleet.up.until('Hosts of the rack: ');
    await fleet.up.until('provisioned.\n');
    const readme = readFileSync(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8');
    const shown = /^```\n(Rackwright .*?)^```$/ms.exec(readme)?.[1] ?? '';
    const withoutChance = (text: string): string =>
      text
        // That of the README is where commands look by themselves.
        .replaceAll(` --data-dir ${fleet.dataDir}`, '')
        .replaceAll(fleet.dataDir, '/home/you/rackwright/.rackwright')
        .replace(/(Kubernetes API +https:\/\/127\.0\.0\.1:)\d+/, '$17440')
        .replace(/(Console +http:\/\/127\.0\.0\.1:)\d+/, '$17442')
        .replace(/(REST and RPC +https:\/\/127\.0\.0\.1:)\d+/, '$17441')
        .replace(/(Agents +https:\/\/127\.0\.0\.1:)\d+/, '$17443')
        .replace(/(the first BMC is https:\/\/)\S+/, '$1127.0.1.1:7450')
        .replace(/(Admin token +).*/, '$1TOKEN');
    assert.equal(withoutChance(fleet.up.printed.out), withoutChance(shown));
  });

  test('keeps secrets from other users of the machine', () => {
    const files = ['kubeconfig', 'admin-token', 'secrets.key', 'objects.db', 'audit.log', 'pki/ca.key'];
    for (const name of [...files, 'simulator/admin.json', 'simulator/state.json']) {
      assert.equal(statSync(join(fleet.dataDir, name)).mode & 0o077, 0, name);
    }
  });

  test('refuses a data directory in use and names the process', async () => {
    const second = startCli(['up', '--data-dir', fleet.dataDir, '--port', '0']);
    assert.equal(await second.ended(), 3);
    assert.match(second.printed.err, new RegExp(`is in use by process ${fleet.up.child.pid} `));
  });

  test('names the port that is in use and the option that changes it', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((listening) => server.once('listening', listening));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    for (const option of ['--port', '--console-port']) {
      const any = option === '--port' ? [] : ['--port', '0'];
      const dataDir = join(fleet.folder, 'other');
      const other = startCli(['up', '--data-dir', dataDir, ...any, option, String(port)]);
      assert.equal(await other.ended(), 5);
      assert.match(other.printed.err, new RegExp(`port ${port} on 127.0.0.1 is in use .* ${option}\n`));
    }
    server.close();
  });

  test('converts between versions of a kind without losing a field', async () => {
    const machine = {
      apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta1',
      kind: 'Metal3Machine',
      metadata: { name: 'machine-1' },
      spec: {
        image: { url: 'http://192.0.2.9/image.qcow2', checksum: 'http://192.0.2.9/sum' },
        automatedCleaningMode: 'disabled',
      },
    };
    const applied = await fleet.cli(['apply', '-f', '-'], { input: JSON.stringify(machine) });
    assert.equal(applied.code, 0, applied.err);
    const stored = await fleet.cli([
      'get',
      'metal3machines.v1beta2.infrastructure.cluster.x-k8s.io',
      'machine-1',
      '-o',
      'json',
    ]);
    const asked = await fleet.cli([
      'get',
      'metal3machines.v1beta1.infrastructure.cluster.x-k8s.io',
      'machine-1',
      '-o',
      'json',
    ]);
    assert.equal(JSON.parse(stored.out).apiVersion, 'infrastructure.cluster.x-k8s.io/v1beta2');
    assert.equal(JSON.parse(asked.out).spec.automatedCleaningMode, 'disabled');
    assert.equal(JSON.parse(asked.out).spec.image.url, machine.spec.image.url);
  });
});

describe('rackwright apiserver', () => {
  test('serves the API without our kinds', async () => {
    const bare = join(fleet.folder, 'bare');
    const server = startCli(['apiserver', '--data-dir', bare, '--port', '0']);
    await server.until('export KUBECONFIG=');
    const kinds = await runCli(['get', 'crd', '--data-dir', bare]);
    assert.deepEqual([kinds.code, kinds.out, kinds.err], [0, '', 'No resources found\n']);
    assert.equal((await runCli(['get', 'ns', 'default', '-o', 'name', '--data-dir', bare])).out, 'namespace/default\n');
    assert.equal(await server.end('SIGINT'), 0);
  });
});

describe('who asks', () => {
  test('acting as somebody without a role is refused in the server’s words', async () => {
    const { code, err } = await fleet.cli(['get', 'secrets', '--as', 'mallory']);
    assert.equal(code, 1);
    assert.match(err, /User "mallory" cannot list resource "secrets"/);
  });

  test('without a server the way to start one is told', async () => {
    const nowhere = await runCli(['get', 'bmh', '--data-dir', join(fleet.folder, 'nowhere')]);
    assert.equal(nowhere.code, 6);
    assert.match(nowhere.err, /there is no .*kubeconfig; start a server with "rackwright up"/);
  });

  test('a kubeconfig that cannot be read is not quoted: it holds a token', async () => {
    const broken = join(fleet.folder, 'kubeconfig');
    writeFileSync(broken, 'users:\n- user:\n    token: not-to-be-seen\n   bad: [x\n');
    for (const flags of [
      ['--kubeconfig', broken],
      ['--data-dir', fleet.folder],
    ]) {
      const { code, err } = await runCli(['get', 'ns', ...flags]);
      assert.equal(code, 6, err);
      assert.match(err, /cannot (be )?read/);
      assert.doesNotMatch(err, /not-to-be-seen/);
    }
    rmSync(broken);
  });

  test('beside a cluster whose work is in another store, up is refused', async () => {
    const words = ['up', '--kubeconfig', join(fleet.dataDir, 'kubeconfig'), '--port', '0'];
    const { code, err } = await runCli([...words, '--data-dir', join(fleet.folder, 'elsewhere')]);
    assert.equal(code, 4, err);
    assert.match(err, /belongs to another store of the work engine/);
  });

  test('KUBECONFIG and --kubeconfig say which server is meant', async () => {
    const kubeconfig = join(fleet.dataDir, 'kubeconfig');
    const byEnv = startCli(['get', 'bmh', '-o', 'name'], { KUBECONFIG: kubeconfig });
    assert.equal(await byEnv.ended(), 0, byEnv.printed.err);
    assert.equal(byEnv.printed.out, 'baremetalhost.metal3.io/host-1\n');
    const byFlag = await runCli(['get', 'bmh', '-o', 'name', '--kubeconfig', kubeconfig]);
    assert.equal(byFlag.out, 'baremetalhost.metal3.io/host-1\n');
  });

  test('a pipe gets all of what is printed, however much that is', async () => {
    const words = ['get', 'customresourcedefinitions', '-o', 'json', '--data-dir', fleet.dataDir];
    const piped = startCli(words);
    assert.equal(await piped.ended(), 0, piped.printed.err);
    assert.ok(piped.printed.out.length > 256 * 1024, 'more than a pipe takes in at once');
    assert.deepEqual(JSON.parse(piped.printed.out), JSON.parse((await runCli(words)).out));
  });
});

describe('stopping, killing, backing up', () => {
  const versionOf = async (): Promise<bigint> => BigInt(await fleet.fieldOf('bmh/host-1', '.metadata.resourceVersion'));

  test('SIGTERM stops it cleanly, and started again it goes on', async () => {
    const before = await versionOf();
    const token = readFileSync(join(fleet.dataDir, 'admin-token'), 'utf8');
    assert.equal(await fleet.up.end('SIGTERM'), 0);
    assert.match(fleet.up.printed.out, /Stopped\.\n$/);
    assert.equal(existsSync(join(fleet.dataDir, 'lock.json')), false);
    fleet.up = await startUp(fleet.dataDir);
    assert.equal(await versionOf(), before);
    assert.equal(readFileSync(join(fleet.dataDir, 'admin-token'), 'utf8'), token);
  });

  test('after SIGKILL everything that was answered is there', async () => {
    await fleet.cli(['label', 'bmh', 'host-1', 'answered=yes']);
    const before = await versionOf();
    await fleet.up.end('SIGKILL');
    fleet.up = await startUp(fleet.dataDir);
    assert.equal(await fleet.fieldOf('bmh/host-1', '.metadata.labels.answered'), 'yes');
    assert.equal(await versionOf(), before);
  });

  test('a webhook that does not answer keeps it from being ready, not from being mended', async () => {
    const hook = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'nobody-there' },
      webhooks: [
        {
          name: 'nobody.example.com',
          clientConfig: { url: 'https://127.0.0.1:1/' },
          rules: [
            { apiGroups: ['rbac.authorization.k8s.io'], apiVersions: ['*'], operations: ['*'], resources: ['*'] },
          ],
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
        },
      ],
    };
    const applied = await fleet.cli(['apply', '-f', '-'], { input: JSON.stringify(hook) });
    assert.equal(applied.code, 0, applied.err);
    await fleet.up.end('SIGTERM');
    fleet.up = startCli(['up', '--data-dir', fleet.dataDir, '--port', '0']);
    await fleet.up.untilComplaint(/could not be installed: .*nobody\.example\.com.*\nThe server is up at https/s);
    const removed = await fleet.cli(['delete', 'validatingwebhookconfiguration', 'nobody-there']);
    assert.equal(removed.code, 0, removed.err);
    await fleet.up.until('Ctrl-C stops it');
  });

  test('stopped while it is starting, it ends at once', async () => {
    const early = startCli(['up', '--data-dir', join(fleet.folder, 'early'), '--port', '0']);
    await early.until('starting the API server');
    assert.equal(await early.end('SIGTERM'), 0, early.printed.err);
  });

  // What a backup holds is the same in each form, so everything starts on one of them and its API server on the others.
  const forms = { 'copy.tar': 'up', 'copy.tar.gz': 'apiserver', copy: 'apiserver' };
  for (const [name, command] of Object.entries(forms)) {
    test(`a backup of the running server as ${name} starts elsewhere as it was`, async () => {
      const target = join(fleet.folder, name);
      const elsewhere = join(fleet.folder, `restored-from-${name}`);
      const made = await fleet.cli(['backup', target]);
      assert.equal(made.code, 0, made.err);
      assert.equal(statSync(target).mode & 0o077, 0);
      await fleet.cli(['label', 'bmh', 'host-1', 'later=yes', '--overwrite']);
      const restored = await runCli(['restore', target, '--data-dir', elsewhere]);
      assert.equal(restored.code, 0, restored.err);
      const second = startCli([command, '--data-dir', elsewhere, '--port', '0']);
      try {
        await second.until(command === 'up' ? 'Ctrl-C stops it' : 'export KUBECONFIG=');
        const password = await runCli([
          'get',
          'secret',
          'host-1-bmc',
          '-o',
          'jsonpath={.data.password}',
          '--data-dir',
          elsewhere,
        ]);
        assert.equal(Buffer.from(password.out, 'base64').toString(), 'not-to-be-seen', password.err);
        const uid = await runCli(['get', 'bmh', 'host-1', '-o', 'jsonpath={.metadata.uid}', '--data-dir', elsewhere]);
        assert.equal(uid.out, await fleet.fieldOf('bmh/host-1', '.metadata.uid'));
      } finally {
        await second.end('SIGTERM');
      }
    });
  }

  test('data of a newer version and open key files are refused with a line that says what to do', async () => {
    const copy = join(fleet.folder, 'to-be-spoilt');
    await fleet.cli(['backup', join(fleet.folder, 'spoilt.tar')]);
    await runCli(['restore', join(fleet.folder, 'spoilt.tar'), '--data-dir', copy]);
    chmodSync(join(copy, 'secrets.key'), 0o644);
    const open = startCli(['up', '--data-dir', copy, '--port', '0']);
    assert.equal(await open.ended(), 4);
    assert.match(open.printed.err, /secrets\.key is open to others \(mode 0644\); run: chmod 600/);
    chmodSync(join(copy, 'secrets.key'), 0o600);
    const db = new DatabaseSync(join(copy, 'objects.db'));
    db.exec(`UPDATE meta SET value = 99 WHERE name = 'format'`);
    db.close();
    const newer = startCli(['up', '--data-dir', copy, '--port', '0']);
    assert.equal(await newer.ended(), 4);
    assert.match(
      newer.printed.err,
      /was written by a newer version \(format 99;.*; start that version, or restore a backup/,
    );
  });

  test('a secret is in no file in the clear', async () => {
    await fleet.up.end('SIGKILL');
    for (const name of ['objects.db', 'objects.db-wal', 'audit.log']) {
      const file = join(fleet.dataDir, name);
      if (!existsSync(file)) continue;
      const bytes = readFileSync(file);
      const encoded = Buffer.from('not-to-be-seen').toString('base64');
      assert.ok(!bytes.includes('not-to-be-seen') && !bytes.includes(encoded), name);
    }
  });
});

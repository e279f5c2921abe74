import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, beforeEach, describe, test } from 'node:test';
import { type CliOptions, type CliProcess, runCli, startCli, startUp, temporaryFolder } from './cli-fixture.ts';

const folder = temporaryFolder();
const dataDir = join(folder.path, 'data');
let up: CliProcess;

const hosts = `
apiVersion: v1
kind: Secret
metadata: {name: host-1-bmc}
stringData: {username: admin, password: not-to-be-seen}
---
apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata: {name: host-1, labels: {rack: a1}}
spec:
  online: true
  bootMACAddress: "00:11:22:33:44:55"
  bmc: {address: "redfish://192.0.2.1/redfish/v1/Systems/1", credentialsName: host-1-bmc}
---
apiVersion: metal3.io/v1alpha1
kind: SwitchportConfiguration
metadata: {name: tenant}
spec: {untaggedVLAN: 10}
`;

const cli = (words: string[], options: CliOptions = {}) => runCli([...words, '--data-dir', dataDir], options);

before(async () => {
  up = await startUp(dataDir);
  const applied = await cli(['apply', '-f', '-'], { input: hosts });
  assert.equal(applied.code, 0, applied.err);
});

after(async () => {
  await up.end('SIGKILL');
  folder.remove();
});

async function fieldOf(what: string, path: string): Promise<string> {
  const { code, out, err } = await cli(['get', what, '-o', `jsonpath={${path}}`]);
  assert.equal(code, 0, err);
  return out;
}

describe('rackwright up', () => {
  test('says where it is, how to reach it and what does not exist yet', () => {
    const { out } = up.printed;
    assert.match(out, /Kubernetes API {3}https:\/\/127\.0\.0\.1:\d+/);
    assert.ok(out.includes(`export KUBECONFIG=${join(dataDir, 'kubeconfig')}`));
    const token = readFileSync(join(dataDir, 'admin-token'), 'utf8').trim();
    assert.ok(out.includes(`Admin token      ${token}`));
    assert.match(out, /Not part of this version yet: controllers/);
  });

  test('the README shows what it prints', () => {
    const readme = readFileSync(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8');
    const shown = /^```\n(Rackwright .*?)^```$/ms.exec(readme)?.[1] ?? '';
    const withoutChance = (text: string): string =>
      text
        .replaceAll(dataDir, '/home/you/rackwright/.rackwright')
        .replace(/127\.0\.0\.1:\d+/, '127.0.0.1:7440')
        .replace(/(Admin token +)\S+/, '$1TOKEN');
    assert.equal(withoutChance(up.printed.out), withoutChance(shown));
  });

  test('keeps secrets from other users of the machine', () => {
    for (const name of ['kubeconfig', 'admin-token', 'secrets.key', 'objects.db', 'audit.log', 'pki/ca.key']) {
      assert.equal(statSync(join(dataDir, name)).mode & 0o077, 0, name);
    }
  });

  test('refuses a data directory in use and names the process', async () => {
    const second = startCli(['up', '--data-dir', dataDir, '--port', '0']);
    assert.equal(await second.ended(), 3);
    assert.match(second.printed.err, new RegExp(`is in use by process ${up.child.pid} `));
  });

  test('names the port that is in use and the option that changes it', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((listening) => server.once('listening', listening));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const other = startCli(['up', '--data-dir', join(folder.path, 'other'), '--port', String(port)]);
    assert.equal(await other.ended(), 5);
    assert.match(other.printed.err, new RegExp(`port ${port} on 127.0.0.1 is in use .* --port`));
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
    const applied = await cli(['apply', '-f', '-'], { input: JSON.stringify(machine) });
    assert.equal(applied.code, 0, applied.err);
    const stored = await cli([
      'get',
      'metal3machines.v1beta2.infrastructure.cluster.x-k8s.io',
      'machine-1',
      '-o',
      'json',
    ]);
    const asked = await cli([
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
    const bare = join(folder.path, 'bare');
    const server = startCli(['apiserver', '--data-dir', bare, '--port', '0']);
    await server.until('export KUBECONFIG=');
    const kinds = await runCli(['get', 'crd', '--data-dir', bare]);
    assert.deepEqual([kinds.code, kinds.out, kinds.err], [0, '', 'No resources found\n']);
    assert.equal((await runCli(['get', 'ns', 'default', '-o', 'name', '--data-dir', bare])).out, 'namespace/default\n');
    assert.equal(await server.end('SIGINT'), 0);
  });
});

describe('rackwright get', () => {
  test('shows the columns of the kind, and of several kinds one after the other', async () => {
    const one = await cli(['get', 'bmh']);
    assert.match(one.out, /^NAME +STATE +CONSUMER +ONLINE +ERROR +AGE\nhost-1 +true +\S+\n$/);
    const two = await cli(['get', 'bmh,switchportconfigurations']);
    assert.match(
      two.out,
      /^NAME .*\nbaremetalhost\.metal3\.io\/host-1 .*\n\nNAME .*\nswitchportconfiguration\.metal3\.io\/tenant /,
    );
  });

  test('shows wide columns, labels and namespaces when asked', async () => {
    const { out } = await cli(['get', 'bmh', '-A', '-o', 'wide', '--show-labels']);
    assert.match(
      out,
      /^NAMESPACE +NAME +STATUS +STATE +CONSUMER +BMC .* LABELS\ndefault +host-1 .*redfish:\/\/192\.0\.2\.1.* rack=a1\n$/,
    );
  });

  test('prints objects whole, without who owns which field unless asked', async () => {
    const { out } = await cli(['get', 'bmh/host-1', '-o', 'json']);
    const object = JSON.parse(out);
    assert.equal(object.spec.bmc.credentialsName, 'host-1-bmc');
    assert.equal(object.metadata.managedFields, undefined);
    const list = await cli(['get', 'bmh', '-o', 'yaml', '--show-managed-fields']);
    assert.match(list.out, /^apiVersion: v1\nitems:\n/);
    assert.match(list.out, /manager: rackwright\n/);
  });

  test('chooses by label and by field', async () => {
    assert.equal((await cli(['get', 'bmh', '-l', 'rack=a1', '-o', 'name'])).out, 'baremetalhost.metal3.io/host-1\n');
    const none = await cli(['get', 'bmh', '-l', 'rack=b1']);
    assert.deepEqual([none.code, none.out, none.err], [0, '', 'No resources found in default namespace.\n']);
    const byName = await cli(['get', 'secrets', '--field-selector', 'metadata.name=host-1-bmc', '-o', 'name']);
    assert.equal(byName.out, 'secret/host-1-bmc\n');
  });

  test('fails with the server’s words for what is not there', async () => {
    const nothing = await cli(['get', 'bmh', 'nope']);
    assert.deepEqual([nothing.code, nothing.err], [1, 'error: baremetalhosts.metal3.io "nope" not found (NotFound)\n']);
    assert.equal((await cli(['get', 'bmh', 'nope', '--ignore-not-found'])).code, 0);
    const unknown = await cli(['get', 'gizmos']);
    assert.match(unknown.err, /the server doesn't have a resource type "gizmos"/);
    const several = await cli(['get', 'bmh', 'host-1', 'nope', 'nada']);
    assert.equal(several.code, 1);
    assert.match(several.out, /host-1/);
    assert.match(several.err, /"nope" not found\n.*"nada" not found\n.*2 objects failed/s);
  });

  test('-w shows changes until it is interrupted', async () => {
    const stop = new AbortController();
    let seen = '';
    const { promise: isListed, resolve: listed } = Promise.withResolvers<void>();
    const watching = cli(['get', 'configmaps', '-w', '--field-selector', 'metadata.name=watched'], {
      interrupted: stop.signal,
      onOut(text) {
        seen += text;
        if (seen.includes('watched')) listed();
        if (/watched +2 /.test(seen)) stop.abort();
      },
    });
    const map = (data: object) =>
      JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'watched' }, data });
    await cli(['apply', '-f', '-'], { input: map({ a: '1' }) });
    await isListed;
    await cli(['apply', '-f', '-'], { input: map({ a: '1', b: '2' }) });
    const { code, err } = await watching;
    assert.equal(code, 0, err);
    assert.match(seen, /^NAME +DATA +AGE\n(watched +1 .*\n)+watched +2 /);
  });
});

describe('rackwright describe', () => {
  test('shows an object, its conditions and its events', async () => {
    const uid = await fieldOf('bmh/host-1', '.metadata.uid');
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'host-1.1' },
      involvedObject: {
        apiVersion: 'metal3.io/v1alpha1',
        kind: 'BareMetalHost',
        name: 'host-1',
        namespace: 'default',
        uid,
      },
      type: 'Warning',
      reason: 'PowerLost',
      message: 'the cord was pulled',
      lastTimestamp: '2026-01-02T03:04:05Z',
    };
    await cli(['apply', '-f', '-'], { input: JSON.stringify(event) });
    const { out } = await cli(['describe', 'bmh', 'host-1']);
    assert.match(out, /^Name: +host-1\nNamespace: +default\nKind: +BareMetalHost \(metal3\.io\/v1alpha1\)\n/);
    assert.match(out, /Warning +PowerLost +2026-01-02T03:04:05Z +the cord was pulled\n$/);
    const definition = await cli(['describe', 'crd', 'baremetalhosts.metal3.io']);
    assert.match(definition.out, /CONDITION +STATUS +REASON .*\n(.*\n)*Established +True +/);
  });

  test('shows of a Secret how long it is, not what it is', async () => {
    const { out } = await cli(['describe', 'secret', 'host-1-bmc']);
    assert.match(out, /password: 14 bytes/);
    assert.ok(!out.includes('not-to-be-seen') && !out.includes(Buffer.from('not-to-be-seen').toString('base64')));
  });
});

describe('rackwright apply', () => {
  test('says what it did to each object', async () => {
    const same = await cli(['apply', '-f', '-'], { input: hosts });
    assert.equal(
      same.out,
      'secret/host-1-bmc unchanged\nbaremetalhost.metal3.io/host-1 unchanged\nswitchportconfiguration.metal3.io/tenant unchanged\n',
    );
  });

  test('a dry run checks and changes nothing', async () => {
    const input = hosts.replace('online: true', 'online: false');
    const dry = await cli(['apply', '-f', '-', '--dry-run=server'], { input });
    assert.match(dry.out, /host-1 configured \(server dry run\)/);
    assert.equal(await fieldOf('bmh/host-1', '.spec.online'), 'true');
  });

  test('reads folders, in order of names, and makes kinds before objects of them', async () => {
    const manifests = temporaryFolder();
    const crd = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gizmos.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: gizmos, singular: gizmo, kind: Gizmo}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}}]
`;
    writeFileSync(join(manifests.path, '1-kind.yaml'), crd);
    writeFileSync(
      join(manifests.path, '2-object.yml'),
      'apiVersion: example.com/v1\nkind: Gizmo\nmetadata: {name: g}\nspec: {size: 3}\n',
    );
    writeFileSync(join(manifests.path, 'notes.txt'), 'not a manifest');
    const { code, out, err } = await cli(['apply', '-f', manifests.path]);
    manifests.remove();
    assert.equal(code, 0, err);
    assert.equal(
      out,
      'customresourcedefinition.apiextensions.k8s.io/gizmos.example.com created\ngizmo.example.com/g created\n',
    );
  });

  test('tells file, line, object and field of what is refused, and goes on with the others', async () => {
    const input = `
apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata: {name: bad}
spec: {online: 7}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: good}
`;
    const { code, out, err } = await cli(['apply', '-f', '-'], { input });
    assert.equal(code, 1);
    assert.equal(out, 'configmap/good created\n');
    assert.match(err, /standard input:2: .*"bad".*spec\.online/);
  });

  test('does not take over fields of others unless told to', async () => {
    const with7 = JSON.stringify({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'owned' },
      data: { a: '7' },
    });
    const with8 = with7.replace('"7"', '"8"');
    await cli(['apply', '-f', '-', '--field-manager', 'somebody'], { input: with7 });
    const refused = await cli(['apply', '-f', '-'], { input: with8 });
    assert.equal(refused.code, 1);
    assert.match(refused.err, /conflict with "somebody".*--force-conflicts/s);
    const forced = await cli(['apply', '-f', '-', '--force-conflicts'], { input: with8 });
    assert.equal(forced.out, 'configmap/owned configured\n');
  });

  test('points at the line of a file that is no YAML', async () => {
    const file = join(folder.path, 'broken.yaml');
    writeFileSync(file, 'apiVersion: v1\nkind: ConfigMap\n---\na: [1\nb: 2\n');
    const { code, err } = await cli(['apply', '-f', file]);
    assert.equal(code, 1);
    assert.match(err, /broken\.yaml: yaml: line 4: /);
  });
});

describe('rackwright annotate and label', () => {
  test('set, keep from overwriting, overwrite and remove', async () => {
    const set = await cli(['annotate', 'bmh', 'host-1', 'example.com/owner=ops']);
    assert.equal(set.out, 'baremetalhost.metal3.io/host-1 annotated\n');
    const again = await cli(['annotate', 'bmh', 'host-1', 'example.com/owner=ops']);
    assert.equal(again.out, 'baremetalhost.metal3.io/host-1 not annotated\n');
    const refused = await cli(['annotate', 'bmh/host-1', 'example.com/owner=dev']);
    assert.equal(refused.code, 1);
    assert.match(refused.err, /already has the annotation example.com\/owner=ops; --overwrite replaces it/);
    await cli(['annotate', 'bmh/host-1', 'example.com/owner=dev', '--overwrite']);
    assert.equal(await fieldOf('bmh/host-1', '.metadata.annotations.example\\.com/owner'), 'dev');
    await cli(['annotate', 'bmh/host-1', 'example.com/owner-']);
    assert.equal(await fieldOf('bmh/host-1', '.metadata.annotations.example\\.com/owner'), '');
  });

  test('label all objects of a kind, or those a selector finds', async () => {
    const all = await cli(['label', 'bmh', '--all', 'row=3']);
    assert.equal(all.out, 'baremetalhost.metal3.io/host-1 labeled\n');
    const some = await cli(['label', 'bmh', '-l', 'row=3', 'row-']);
    assert.equal(some.out, 'baremetalhost.metal3.io/host-1 labeled\n');
    const none = await cli(['label', 'bmh', 'row=3']);
    assert.equal(none.code, 2);
    assert.match(none.err, /name the baremetalhosts you mean, or say -l LABELS or --all/);
  });
});

describe('rackwright wait', () => {
  test('waits for fields and for deletion', async () => {
    const waiting = cli(['wait', 'bmh/host-1', '--for=jsonpath={.metadata.labels.ready}=yes', '--timeout', '60s']);
    await cli(['label', 'bmh/host-1', 'ready=yes']);
    assert.equal((await waiting).out, 'baremetalhost.metal3.io/host-1 condition met\n');
    await cli(['apply', '-f', '-'], { input: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"brief"}}' });
    const gone = cli(['wait', 'configmap/brief', '--for=delete', '--timeout', '60s']);
    await cli(['delete', 'configmap', 'brief']);
    assert.equal((await gone).code, 0);
  });

  test('waits for a condition of the status', async () => {
    const { code, out } = await cli(['wait', 'crd', 'baremetalhosts.metal3.io', '--for=condition=Established']);
    assert.equal(code, 0);
    assert.match(out, /condition met/);
  });

  test('ends with its own code when time is up, and at once when there is nothing to wait for', async () => {
    const late = await cli(['wait', 'bmh/host-1', '--for=condition=Ready', '--timeout', '50ms']);
    assert.deepEqual(
      [late.code, late.err],
      [7, 'error: timed out waiting for condition=Ready on baremetalhosts/host-1\n'],
    );
    const absent = await cli(['wait', 'bmh/nope', '--for=condition=Ready', '--timeout', '600s']);
    assert.equal(absent.code, 1);
    assert.match(absent.err, /"nope" not found/);
  });
});

describe('rackwright edit', () => {
  const fileIn = (command: string): string => /'([^']+)'$/.exec(command)?.[1] ?? '';
  const replace = (from: string | RegExp, to: string) => (command: string) => {
    const file = fileIn(command);
    writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
  };

  beforeEach(async () => {
    await cli(['label', 'bmh', 'host-1', 'rack=a1', '--overwrite']);
  });

  test('sends what was changed', async () => {
    const { out } = await cli(['edit', 'bmh', 'host-1'], { edit: replace('rack: a1', 'rack: a2') });
    assert.equal(out, 'baremetalhost.metal3.io/host-1 edited\n');
    assert.equal(await fieldOf('bmh/host-1', '.metadata.labels.rack'), 'a2');
  });

  test('leaves an object alone when nothing was changed or the file was emptied', async () => {
    const version = await fieldOf('bmh/host-1', '.metadata.resourceVersion');
    assert.match((await cli(['edit', 'bmh', 'host-1'])).out, /left as it is/);
    assert.match((await cli(['edit', 'bmh', 'host-1'], { edit: replace(/.*/s, '') })).out, /left as it is/);
    assert.equal(await fieldOf('bmh/host-1', '.metadata.resourceVersion'), version);
  });

  test('a change by somebody else to another field does not get in the way', async () => {
    const { code, err } = await cli(['edit', 'bmh', 'host-1'], {
      async edit(command) {
        await cli(['label', 'bmh', 'host-1', 'meanwhile=yes', '--overwrite']);
        replace('rack: a1', 'rack: a3')(command);
      },
    });
    assert.equal(code, 0, err);
    assert.equal(await fieldOf('bmh/host-1', '.metadata.labels.rack'), 'a3');
    assert.equal(await fieldOf('bmh/host-1', '.metadata.labels.meanwhile'), 'yes');
  });

  test('a change by somebody else to the same field opens the editor again and says so', async () => {
    const texts: string[] = [];
    const { code, err } = await cli(['edit', 'bmh', 'host-1'], {
      async edit(command) {
        texts.push(readFileSync(fileIn(command), 'utf8'));
        if (texts.length > 1) return replace('rack: a4', 'rack: a6')(command);
        await cli(['label', 'bmh', 'host-1', 'rack=a5', '--overwrite']);
        replace('rack: a1', 'rack: a4')(command);
      },
    });
    assert.equal(code, 0, err);
    assert.match(texts[1] ?? '', /# Somebody else changed metadata\.labels\.rack meanwhile/);
    assert.equal(await fieldOf('bmh/host-1', '.metadata.labels.rack'), 'a6');
  });

  test('what the server refuses can be mended, and is kept when it is given up', async () => {
    const texts: string[] = [];
    const { code, err } = await cli(['edit', 'bmh', 'host-1'], {
      edit(command) {
        texts.push(readFileSync(fileIn(command), 'utf8'));
        if (texts.length === 1) replace('online: true', 'online: 7')(command);
      },
    });
    assert.equal(code, 1);
    assert.match(texts[1] ?? '', /# .*spec\.online/);
    const kept = /kept in (.*)\n/.exec(err)?.[1] ?? '';
    assert.match(readFileSync(kept, 'utf8'), /online: 7/);
    assert.equal(statSync(kept).mode & 0o077, 0);
    rmSync(dirname(kept), { recursive: true });
  });
});

describe('rackwright delete', () => {
  const map = (name: string, finalizers: string[] = []) =>
    JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, finalizers } });

  test('deletes by name, by file and by selector', async () => {
    await cli(['apply', '-f', '-'], { input: map('d1') });
    assert.equal((await cli(['delete', 'configmap', 'd1'])).out, 'configmap "d1" deleted from default namespace\n');
    await cli(['apply', '-f', '-'], { input: map('d2') });
    assert.equal((await cli(['delete', '-f', '-'], { input: map('d2') })).code, 0);
    await cli(['apply', '-f', '-'], { input: map('d3') });
    await cli(['label', 'configmap/d3', 'brief=yes']);
    assert.equal(
      (await cli(['delete', 'configmaps', '-l', 'brief=yes'])).out,
      'configmap "d3" deleted from default namespace\n',
    );
    assert.equal((await cli(['delete', 'configmap', 'd1'])).code, 1);
    assert.equal((await cli(['delete', 'configmap', 'd1', '--ignore-not-found'])).code, 0);
  });

  test('waits for finalizers, and names them when time is up', async () => {
    await cli(['apply', '-f', '-'], { input: map('held', ['example.com/hold']) });
    const late = await cli(['delete', 'configmap', 'held', '--timeout', '50ms']);
    assert.equal(late.code, 7);
    assert.match(late.err, /"held" is not gone yet; it is held by example\.com\/hold/);
    const { promise: isAccepted, resolve: accepted } = Promise.withResolvers<void>();
    const waiting = cli(['delete', 'configmap', 'held'], { onOut: () => accepted() });
    await isAccepted;
    await cli(['apply', '-f', '-'], { input: map('held') });
    assert.equal((await waiting).code, 0);
  });
});

describe('who asks', () => {
  test('acting as somebody without a role is refused in the server’s words', async () => {
    const { code, err } = await cli(['get', 'secrets', '--as', 'mallory']);
    assert.equal(code, 1);
    assert.match(err, /User "mallory" cannot list resource "secrets"/);
  });

  test('without a server the way to start one is told', async () => {
    const nowhere = await runCli(['get', 'bmh', '--data-dir', join(folder.path, 'nowhere')]);
    assert.equal(nowhere.code, 6);
    assert.match(nowhere.err, /there is no .*kubeconfig; start a server with "rackwright up"/);
  });

  test('a kubeconfig that cannot be read is not quoted: it holds a token', async () => {
    const broken = join(folder.path, 'kubeconfig');
    writeFileSync(broken, 'users:\n- user:\n    token: not-to-be-seen\n   bad: [x\n');
    for (const flags of [
      ['--kubeconfig', broken],
      ['--data-dir', folder.path],
    ]) {
      const { code, err } = await runCli(['get', 'ns', ...flags]);
      assert.equal(code, 6, err);
      assert.match(err, /cannot (be )?read/);
      assert.doesNotMatch(err, /not-to-be-seen/);
    }
    rmSync(broken);
  });

  test('KUBECONFIG and --kubeconfig say which server is meant', async () => {
    const kubeconfig = join(dataDir, 'kubeconfig');
    const byEnv = startCli(['get', 'bmh', '-o', 'name'], { KUBECONFIG: kubeconfig });
    assert.equal(await byEnv.ended(), 0, byEnv.printed.err);
    assert.equal(byEnv.printed.out, 'baremetalhost.metal3.io/host-1\n');
    const byFlag = await runCli(['get', 'bmh', '-o', 'name', '--kubeconfig', kubeconfig]);
    assert.equal(byFlag.out, 'baremetalhost.metal3.io/host-1\n');
  });
});

describe('stopping, killing, backing up', () => {
  const versionOf = async (): Promise<bigint> => BigInt(await fieldOf('bmh/host-1', '.metadata.resourceVersion'));

  test('SIGTERM stops it cleanly, and started again it goes on', async () => {
    const before = await versionOf();
    const token = readFileSync(join(dataDir, 'admin-token'), 'utf8');
    assert.equal(await up.end('SIGTERM'), 0);
    assert.match(up.printed.out, /Stopped\.\n$/);
    assert.equal(existsSync(join(dataDir, 'lock.json')), false);
    up = await startUp(dataDir);
    assert.equal(await versionOf(), before);
    assert.equal(readFileSync(join(dataDir, 'admin-token'), 'utf8'), token);
  });

  test('after SIGKILL everything that was answered is there', async () => {
    await cli(['label', 'bmh', 'host-1', 'answered=yes']);
    const before = await versionOf();
    await up.end('SIGKILL');
    up = await startUp(dataDir);
    assert.equal(await fieldOf('bmh/host-1', '.metadata.labels.answered'), 'yes');
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
    const applied = await cli(['apply', '-f', '-'], { input: JSON.stringify(hook) });
    assert.equal(applied.code, 0, applied.err);
    await up.end('SIGTERM');
    up = startCli(['up', '--data-dir', dataDir, '--port', '0']);
    await once(up.child.stderr ?? up.child, 'data');
    assert.match(up.printed.err, /could not be installed: .*nobody\.example\.com.*\nThe server is up at https/s);
    const removed = await cli(['delete', 'validatingwebhookconfiguration', 'nobody-there']);
    assert.equal(removed.code, 0, removed.err);
    await up.until('Ctrl-C stops it');
  });

  test('stopped while it is starting, it ends at once', async () => {
    const early = startCli(['up', '--data-dir', join(folder.path, 'early'), '--port', '0']);
    await early.until('starting the API server');
    assert.equal(await early.end('SIGTERM'), 0, early.printed.err);
  });

  for (const name of ['copy.tar', 'copy.tar.gz', 'copy']) {
    test(`a backup of the running server as ${name} starts elsewhere as it was`, async () => {
      const target = join(folder.path, name);
      const elsewhere = join(folder.path, `restored-from-${name}`);
      const made = await cli(['backup', target]);
      assert.equal(made.code, 0, made.err);
      assert.equal(statSync(target).mode & 0o077, 0);
      await cli(['label', 'bmh', 'host-1', 'later=yes', '--overwrite']);
      const restored = await runCli(['restore', target, '--data-dir', elsewhere]);
      assert.equal(restored.code, 0, restored.err);
      const second = await startUp(elsewhere);
      try {
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
        assert.equal(uid.out, await fieldOf('bmh/host-1', '.metadata.uid'));
      } finally {
        await second.end('SIGTERM');
      }
    });
  }

  test('data of a newer version and open key files are refused with a line that says what to do', async () => {
    const copy = join(folder.path, 'to-be-spoilt');
    await cli(['backup', join(folder.path, 'spoilt.tar')]);
    await runCli(['restore', join(folder.path, 'spoilt.tar'), '--data-dir', copy]);
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
    await up.end('SIGKILL');
    for (const name of ['objects.db', 'objects.db-wal', 'audit.log']) {
      const file = join(dataDir, name);
      if (!existsSync(file)) continue;
      const bytes = readFileSync(file);
      const encoded = Buffer.from('not-to-be-seen').toString('base64');
      assert.ok(!bytes.includes('not-to-be-seen') && !bytes.includes(encoded), name);
    }
    up = await startUp(dataDir);
  });
});

import assert from 'node:assert/strict';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { type Fleet, hostManifests, startFleet, temporaryFolder } from './cli-fixture.ts';

let fleet: Fleet;
before(async () => {
  fleet = await startFleet(['--simulate', '0']);
});
after(() => fleet.close());

describe('rackwright get', () => {
  test('shows the columns of the kind, and of several kinds one after the other', async () => {
    const one = await fleet.cli(['get', 'bmh']);
    assert.match(one.out, /^NAME +STATE +CONSUMER +ONLINE +ERROR +AGE\nhost-1 +registering +true +\S+\n$/);
    const two = await fleet.cli(['get', 'bmh,switchportconfigurations']);
    assert.match(
      two.out,
      /^NAME .*\nbaremetalhost\.metal3\.io\/host-1 .*\n\nNAME .*\nswitchportconfiguration\.metal3\.io\/tenant /,
    );
  });

  test('shows wide columns, labels and namespaces when asked', async () => {
    const { out } = await fleet.cli(['get', 'bmh', '-A', '-o', 'wide', '--show-labels']);
    assert.match(
      out,
      /^NAMESPACE +NAME +STATUS +STATE +CONSUMER +BMC .* LABELS\ndefault +host-1 .*redfish:\/\/192\.0\.2\.1.* rack=a1\n$/,
    );
  });

  test('prints objects whole, without who owns which field unless asked', async () => {
    const { out } = await fleet.cli(['get', 'bmh/host-1', '-o', 'json']);
    const object = JSON.parse(out);
    assert.equal(object.spec.bmc.credentialsName, 'host-1-bmc');
    assert.equal(object.metadata.managedFields, undefined);
    const list = await fleet.cli(['get', 'bmh', '-o', 'yaml', '--show-managed-fields']);
    assert.match(list.out, /^apiVersion: v1\nitems:\n/);
    assert.match(list.out, /manager: rackwright\n/);
  });

  test('chooses by label and by field', async () => {
    assert.equal(
      (await fleet.cli(['get', 'bmh', '-l', 'rack=a1', '-o', 'name'])).out,
      'baremetalhost.metal3.io/host-1\n',
    );
    const none = await fleet.cli(['get', 'bmh', '-l', 'rack=b1']);
    assert.deepEqual([none.code, none.out, none.err], [0, '', 'No resources found in default namespace.\n']);
    const byName = await fleet.cli(['get', 'secrets', '--field-selector', 'metadata.name=host-1-bmc', '-o', 'name']);
    assert.equal(byName.out, 'secret/host-1-bmc\n');
  });

  test('fails with the server’s words for what is not there', async () => {
    const nothing = await fleet.cli(['get', 'bmh', 'nope']);
    assert.deepEqual([nothing.code, nothing.err], [1, 'error: baremetalhosts.metal3.io "nope" not found (NotFound)\n']);
    assert.equal((await fleet.cli(['get', 'bmh', 'nope', '--ignore-not-found'])).code, 0);
    const unknown = await fleet.cli(['get', 'gizmos']);
    assert.match(unknown.err, /the server doesn't have a resource type "gizmos"/);
    const several = await fleet.cli(['get', 'bmh', 'host-1', 'nope', 'nada']);
    assert.equal(several.code, 1);
    assert.match(several.out, /host-1/);
    assert.match(several.err, /"nope" not found\n.*"nada" not found\n.*2 objects failed/s);
  });

  test('-w shows changes until it is interrupted', async () => {
    const stop = new AbortController();
    let seen = '';
    const { promise: isListed, resolve: listed } = Promise.withResolvers<void>();
    const watching = fleet.cli(['get', 'configmaps', '-w', '--field-selector', 'metadata.name=watched'], {
      interrupted: stop.signal,
      onOut(text) {
        seen += text;
        if (seen.includes('watched')) listed();
        if (/watched +2 /.test(seen)) stop.abort();
      },
    });
    const map = (data: object) =>
      JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'watched' }, data });
    await fleet.cli(['apply', '-f', '-'], { input: map({ a: '1' }) });
    await isListed;
    await fleet.cli(['apply', '-f', '-'], { input: map({ a: '1', b: '2' }) });
    const { code, err } = await watching;
    assert.equal(code, 0, err);
    assert.match(seen, /^NAME +DATA +AGE\n(watched +1 .*\n)+watched +2 /);
  });
});

describe('rackwright describe', () => {
  test('shows an object, its conditions and its events', async () => {
    const uid = await fleet.fieldOf('bmh/host-1', '.metadata.uid');
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
    await fleet.cli(['apply', '-f', '-'], { input: JSON.stringify(event) });
    const { out } = await fleet.cli(['describe', 'bmh', 'host-1']);
    assert.match(out, /^Name: +host-1\nNamespace: +default\nKind: +BareMetalHost \(metal3\.io\/v1alpha1\)\n/);
    assert.match(out, /Warning +PowerLost +2026-01-02T03:04:05Z +the cord was pulled\n$/);
    const definition = await fleet.cli(['describe', 'crd', 'baremetalhosts.metal3.io']);
    assert.match(definition.out, /CONDITION +STATUS +REASON .*\n(.*\n)*Established +True +/);
  });

  test('shows of a Secret how long it is, not what it is', async () => {
    const applied = {
      'kubectl.kubernetes.io/last-applied-configuration': '{"stringData":{"password":"not-to-be-seen"}}',
    };
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'applied', annotations: applied } };
    await fleet.cli(['apply', '-f', '-'], { input: JSON.stringify(secret) });
    const { out } = await fleet.cli(['describe', 'secret', 'host-1-bmc']);
    assert.match(out, /password: 14 bytes/);
    const annotated = await fleet.cli(['describe', 'secret', 'applied']);
    assert.ok(!annotated.out.includes('not-to-be-seen'));
    assert.ok(!out.includes('not-to-be-seen') && !out.includes(Buffer.from('not-to-be-seen').toString('base64')));
  });
});

describe('rackwright apply', () => {
  test('says what it did to each object', async () => {
    const same = await fleet.cli(['apply', '-f', '-'], { input: hostManifests });
    assert.equal(
      same.out,
      'secret/host-1-bmc unchanged\nbaremetalhost.metal3.io/host-1 unchanged\nswitchportconfiguration.metal3.io/tenant unchanged\n',
    );
  });

  test('a dry run checks and changes nothing', async () => {
    const input = hostManifests.replace('online: true', 'online: false');
    const dry = await fleet.cli(['apply', '-f', '-', '--dry-run=server'], { input });
    assert.match(dry.out, /host-1 configured \(server dry run\)/);
    assert.equal(await fleet.fieldOf('bmh/host-1', '.spec.online'), 'true');
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
    const { code, out, err } = await fleet.cli(['apply', '-f', manifests.path]);
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
    const { code, out, err } = await fleet.cli(['apply', '-f', '-'], { input });
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
    await fleet.cli(['apply', '-f', '-', '--field-manager', 'somebody'], { input: with7 });
    const refused = await fleet.cli(['apply', '-f', '-'], { input: with8 });
    assert.equal(refused.code, 1);
    assert.match(refused.err, /conflict with "somebody".*--force-conflicts/s);
    const forced = await fleet.cli(['apply', '-f', '-', '--force-conflicts'], { input: with8 });
    assert.equal(forced.out, 'configmap/owned configured\n');
  });

  test('points at the line of a file that is no YAML', async () => {
    const file = join(fleet.folder, 'broken.yaml');
    writeFileSync(file, 'apiVersion: v1\nkind: ConfigMap\n---\na: [1\nb: 2\n');
    const { code, err } = await fleet.cli(['apply', '-f', file]);
    assert.equal(code, 1);
    assert.match(err, /broken\.yaml: yaml: line 4: /);
  });
});

describe('rackwright annotate and label', () => {
  test('set, keep from overwriting, overwrite and remove', async () => {
    const set = await fleet.cli(['annotate', 'bmh', 'host-1', 'example.com/owner=ops']);
    assert.equal(set.out, 'baremetalhost.metal3.io/host-1 annotated\n');
    const again = await fleet.cli(['annotate', 'bmh', 'host-1', 'example.com/owner=ops']);
    assert.equal(again.out, 'baremetalhost.metal3.io/host-1 not annotated\n');
    const refused = await fleet.cli(['annotate', 'bmh/host-1', 'example.com/owner=dev']);
    assert.equal(refused.code, 1);
    assert.match(refused.err, /already has the annotation example.com\/owner=ops; --overwrite replaces it/);
    await fleet.cli(['annotate', 'bmh/host-1', 'example.com/owner=dev', '--overwrite']);
    assert.equal(await fleet.fieldOf('bmh/host-1', '.metadata.annotations.example\\.com/owner'), 'dev');
    await fleet.cli(['annotate', 'bmh/host-1', 'example.com/owner-']);
    assert.equal(await fleet.fieldOf('bmh/host-1', '.metadata.annotations.example\\.com/owner'), '');
  });

  test('label all objects of a kind, or those a selector finds', async () => {
    const all = await fleet.cli(['label', 'bmh', '--all', 'row=3']);
    assert.equal(all.out, 'baremetalhost.metal3.io/host-1 labeled\n');
    const some = await fleet.cli(['label', 'bmh', '-l', 'row=3', 'row-']);
    assert.equal(some.out, 'baremetalhost.metal3.io/host-1 labeled\n');
    const none = await fleet.cli(['label', 'bmh', 'row=3']);
    assert.equal(none.code, 2);
    assert.match(none.err, /name the baremetalhosts you mean, or say -l LABELS or --all/);
  });
});

describe('rackwright wait', () => {
  test('waits for fields and for deletion', async () => {
    const waiting = fleet.cli([
      'wait',
      'bmh/host-1',
      '--for=jsonpath={.metadata.labels.ready}=yes',
      '--timeout',
      '60s',
    ]);
    await fleet.cli(['label', 'bmh/host-1', 'ready=yes']);
    assert.equal((await waiting).out, 'baremetalhost.metal3.io/host-1 condition met\n');
    await fleet.cli(['apply', '-f', '-'], {
      input: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"brief"}}',
    });
    const gone = fleet.cli(['wait', 'configmap/brief', '--for=delete', '--timeout', '60s']);
    await fleet.cli(['delete', 'configmap', 'brief']);
    assert.equal((await gone).code, 0);
  });

  test('tells of several in the order in which they were named, whichever came first', async () => {
    const named = ['ConfigMap/later', 'ConfigMap/sooner'];
    const items = named.map((name) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: name.slice(10) } }));
    await fleet.cli(['apply', '-f', '-'], { input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }) });
    await fleet.cli(['label', 'configmap/sooner', 'ready=yes']);
    const words = ['wait', ...named, '--for=jsonpath={.metadata.labels.ready}=yes', '--timeout'];
    const once = await fleet.cli([...words, '0']);
    assert.deepEqual([once.code, once.out], [7, 'configmap/sooner condition met\n']);
    const waiting = fleet.cli([...words, '60s']);
    await fleet.cli(['label', 'configmap/later', 'ready=yes']);
    assert.equal((await waiting).out, 'configmap/later condition met\nconfigmap/sooner condition met\n');
  });

  test('waits for a condition of the status', async () => {
    const { code, out } = await fleet.cli(['wait', 'crd', 'baremetalhosts.metal3.io', '--for=condition=Established']);
    assert.equal(code, 0);
    assert.match(out, /condition met/);
  });

  test('ends with its own code when time is up, and at once when there is nothing to wait for', async () => {
    const late = await fleet.cli(['wait', 'bmh/host-1', '--for=condition=Ready', '--timeout', '50ms']);
    assert.deepEqual(
      [late.code, late.err],
      [7, 'error: timed out waiting for condition=Ready on baremetalhosts/host-1\n'],
    );
    const absent = await fleet.cli(['wait', 'bmh/nope', '--for=condition=Ready', '--timeout', '600s']);
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
    await fleet.cli(['label', 'bmh', 'host-1', 'rack=a1', '--overwrite']);
  });

  test('sends what was changed', async () => {
    const { out } = await fleet.cli(['edit', 'bmh', 'host-1'], { edit: replace('rack: a1', 'rack: a2') });
    assert.equal(out, 'baremetalhost.metal3.io/host-1 edited\n');
    assert.equal(await fleet.fieldOf('bmh/host-1', '.metadata.labels.rack'), 'a2');
  });

  test('leaves an object alone when nothing was changed or the file was emptied', async () => {
    const version = await fleet.fieldOf('bmh/host-1', '.metadata.resourceVersion');
    assert.match((await fleet.cli(['edit', 'bmh', 'host-1'])).out, /left as it is/);
    assert.match((await fleet.cli(['edit', 'bmh', 'host-1'], { edit: replace(/.*/s, '') })).out, /left as it is/);
    assert.equal(await fleet.fieldOf('bmh/host-1', '.metadata.resourceVersion'), version);
  });

  test('a change by somebody else to another field does not get in the way', async () => {
    const { code, err } = await fleet.cli(['edit', 'bmh', 'host-1'], {
      async edit(command) {
        await fleet.cli(['label', 'bmh', 'host-1', 'meanwhile=yes', '--overwrite']);
        replace('rack: a1', 'rack: a3')(command);
      },
    });
    assert.equal(code, 0, err);
    assert.equal(await fleet.fieldOf('bmh/host-1', '.metadata.labels.rack'), 'a3');
    assert.equal(await fleet.fieldOf('bmh/host-1', '.metadata.labels.meanwhile'), 'yes');
  });

  test('a change by somebody else to the same field opens the editor again and says so', async () => {
    const texts: string[] = [];
    const { code, err } = await fleet.cli(['edit', 'bmh', 'host-1'], {
      async edit(command) {
        texts.push(readFileSync(fileIn(command), 'utf8'));
        if (texts.length > 1) return replace('rack: a4', 'rack: a6')(command);
        await fleet.cli(['label', 'bmh', 'host-1', 'rack=a5', '--overwrite']);
        replace('rack: a1', 'rack: a4')(command);
      },
    });
    assert.equal(code, 0, err);
    assert.match(texts[1] ?? '', /# Somebody else changed metadata\.labels\.rack meanwhile/);
    assert.equal(await fleet.fieldOf('bmh/host-1', '.metadata.labels.rack'), 'a6');
  });

  test('what the server refuses can be mended, and is kept when it is given up', async () => {
    const texts: string[] = [];
    const { code, err } = await fleet.cli(['edit', 'bmh', 'host-1'], {
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
    await fleet.cli(['apply', '-f', '-'], { input: map('d1') });
    assert.equal(
      (await fleet.cli(['delete', 'configmap', 'd1'])).out,
      'configmap "d1" deleted from default namespace\n',
    );
    await fleet.cli(['apply', '-f', '-'], { input: map('d2') });
    assert.equal((await fleet.cli(['delete', '-f', '-'], { input: map('d2') })).code, 0);
    await fleet.cli(['apply', '-f', '-'], { input: map('d3') });
    await fleet.cli(['label', 'configmap/d3', 'brief=yes']);
    assert.equal(
      (await fleet.cli(['delete', 'configmaps', '-l', 'brief=yes'])).out,
      'configmap "d3" deleted from default namespace\n',
    );
    assert.equal((await fleet.cli(['delete', 'configmap', 'd1'])).code, 1);
    assert.equal((await fleet.cli(['delete', 'configmap', 'd1', '--ignore-not-found'])).code, 0);
  });

  test('waits for finalizers, and names them when time is up', async () => {
    await fleet.cli(['apply', '-f', '-'], { input: map('held', ['example.com/hold']) });
    const late = await fleet.cli(['delete', 'configmap', 'held', '--timeout', '50ms']);
    assert.equal(late.code, 7);
    assert.match(late.err, /"held" is not gone yet; it is held by example\.com\/hold/);
    const { promise: isAccepted, resolve: accepted } = Promise.withResolvers<void>();
    const waiting = fleet.cli(['delete', 'configmap', 'held'], { onOut: () => accepted() });
    await isAccepted;
    await fleet.cli(['apply', '-f', '-'], { input: map('held') });
    assert.equal((await waiting).code, 0);
  });

  test('takes along what the object owns, or leaves it when told to', async () => {
    const owned = async (name: string): Promise<string> => {
      await fleet.cli(['apply', '-f', '-'], { input: map(`${name}-owner`) });
      const uid = await fleet.fieldOf(`configmap/${name}-owner`, '.metadata.uid');
      const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: `${name}-owner`, uid }];
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `${name}-owned`, ownerReferences } };
      await fleet.cli(['apply', '-f', '-'], { input: JSON.stringify(object) });
      return `configmap/${name}-owned`;
    };
    const dependent = await owned('left');
    await fleet.cli(['delete', 'configmap/left-owner', '--cascade', 'orphan']);
    assert.equal(await fleet.fieldOf(dependent, '.metadata.ownerReferences'), '');
    for (const how of ['background', 'foreground']) {
      const taken = await owned(how);
      assert.equal((await fleet.cli(['delete', `configmap/${how}-owner`, '--cascade', how])).code, 0);
      assert.equal((await fleet.cli(['wait', taken, '--for=delete', '--timeout', '60s'])).code, 0);
    }
    assert.equal((await fleet.cli(['delete', dependent, '--cascade', 'sideways'])).code, 2);
  });
});

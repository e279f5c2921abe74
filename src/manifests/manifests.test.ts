import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PolicyRule } from '../api/index.ts';
import { components } from './components.ts';
import { helmCondition, holds } from './condition.ts';
import { objectsOf, readValues, rulesOf, setValue } from './index.ts';
import { faultOf } from './testing/values-fault.ts';
import type { Values } from './values.ts';

const version = '1.2.3';

function installed(given: object) {
  const objects = objectsOf(readValues(given, version));
  const of = (kind: string) =>
    objects
      .filter((each) => each.kind === kind)
      .map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`)
      .toSorted();
  return { objects, of };
}

const everything = {
  hosts: { ironicUrl: 'http://ironic.example:6385' },
  firmware: { updateServiceUrl: 'https://updates.example:7447' },
};

describe('the objects of an installation', () => {
  test('without tenants there is one set of controllers, in the namespace of the installation', () => {
    const { of } = installed(everything);
    assert.deepEqual(
      of('Deployment'),
      ['firmware', 'hosts', 'machines', 'network', 'webhooks'].map((name) => `rackwright-system/rackwright-${name}`),
    );
    assert.deepEqual(of('PodDisruptionBudget'), of('Deployment'));
    assert.deepEqual(of('NetworkPolicy'), of('Deployment'));
    assert.deepEqual(of('ServiceAccount'), of('Deployment'));
  });

  test('with limited tenancy each tenant has machine controllers, and all share the others', () => {
    const { of } = installed({ ...everything, tenancy: { model: 'limited', tenants: ['a', 'b'] } });
    assert.deepEqual(of('Deployment'), [
      'a/rackwright-machines',
      'b/rackwright-machines',
      ...['firmware', 'hosts', 'network', 'webhooks'].map((name) => `rackwright-system/rackwright-${name}`),
    ]);
  });

  test('with full tenancy each tenant has all controllers of namespaced kinds, and rights in their namespace only', () => {
    const { objects, of } = installed({ ...everything, tenancy: { model: 'full', tenants: ['a'] } });
    assert.deepEqual(of('Deployment'), [
      ...['hosts', 'machines', 'network'].map((name) => `a/rackwright-${name}`),
      ...['firmware', 'webhooks'].map((name) => `rackwright-system/rackwright-${name}`),
    ]);
    const ofTenant = objects.filter(
      (each) =>
        each.kind === 'ClusterRoleBinding' &&
        (each.subjects as { namespace: string }[]).some(({ namespace }) => namespace === 'a'),
    );
    const bound = ofTenant.map((each) => (each.roleRef as { name: string }).name);
    assert.ok(bound.length > 0);
    assert.ok(
      bound.every((name) => name.endsWith('-cluster')),
      `only what has no namespace: ${bound}`,
    );
  });

  test('every binding names a role and an account that are there', () => {
    for (const model of ['none', 'limited', 'full'] as const) {
      const { objects, of } = installed({ ...everything, tenancy: { model, tenants: model === 'none' ? [] : ['a'] } });
      const roles = new Set(of('ClusterRole'));
      const accounts = new Set(of('ServiceAccount'));
      for (const each of objects.filter(({ kind }) => /Binding$/.test(kind))) {
        assert.ok(roles.has(`/${(each.roleRef as { name: string }).name}`), each.metadata.name);
        const [subject] = each.subjects as { namespace: string; name: string }[];
        assert.ok(accounts.has(`${subject?.namespace}/${subject?.name}`), each.metadata.name);
      }
    }
  });

  test('no two objects are the same', () => {
    const { objects } = installed({ ...everything, tenancy: { model: 'limited', tenants: ['a', 'b'] } });
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`);
    assert.equal(new Set(names).size, names.length);
  });

  test('components that lack what they work with are not installed', () => {
    const { of } = installed({ machines: { enabled: false }, network: { enabled: false } });
    assert.deepEqual(of('Deployment'), ['rackwright-system/rackwright-webhooks']);
  });

  test('a place that values fill in is never left', () => {
    const text = JSON.stringify(installed({ ...everything, tenancy: { model: 'full', tenants: ['a'] } }).objects);
    assert.doesNotMatch(text, /[«»]|undefined/);
  });

  test('no component may do everything', () => {
    for (const { name, rights } of components) {
      for (const { resources, verbs } of rulesOf(rights)) assert.ok(![...resources, ...verbs].includes('*'), name);
    }
  });

  test('of Secrets in all namespaces, hosts follow those of BMCs, network and machines read by name, and others none (security.md: cluster-secrets)', () => {
    const readers = readersOfSecrets(installed(everything).objects);
    assert.deepEqual(readers, {
      'rackwright-system/rackwright-hosts': ['get', 'list', 'watch'],
      'rackwright-system/rackwright-network': ['get'],
      'rackwright-system/rackwright-machines': ['get'],
    });
  });

  test('with full tenancy nobody reads Secrets of all namespaces (security.md: cluster-secrets)', () => {
    const { objects } = installed({ ...everything, tenancy: { model: 'full', tenants: ['a'] } });
    assert.deepEqual(readersOfSecrets(objects), {});
  });
});

/** Which accounts may read which way the Secrets of all namespaces. */
function readersOfSecrets(objects: ReturnType<typeof objectsOf>): Record<string, readonly string[]> {
  const reading = new Set(['get', 'list', 'watch']);
  const readers: Record<string, readonly string[]> = {};
  for (const { roleRef, subjects } of objects.filter(({ kind }) => kind === 'ClusterRoleBinding')) {
    const { name } = roleRef as { name: string };
    const role = objects.find(({ kind, metadata }) => kind === 'ClusterRole' && metadata.name === name);
    assert.ok(role !== undefined, name);
    const verbs = (role.rules as PolicyRule[])
      .filter(({ apiGroups, resources }) => apiGroups.includes('') && resources.includes('secrets'))
      .flatMap((rule) => rule.verbs.filter((verb) => reading.has(verb)));
    for (const subject of verbs.length === 0 ? [] : (subjects as { namespace: string; name: string }[])) {
      const account = `${subject.namespace}/${subject.name}`;
      readers[account] = [...new Set([...(readers[account] ?? []), ...verbs])].toSorted();
    }
  }
  return readers;
}

describe('values', () => {
  test('every fault is named with its place', () => {
    assert.match(faultOf({ replicas: 0 }), /^replicas must be >= 1$/);
    assert.match(faultOf({ tenancy: { model: 'some' } }), /^tenancy.model .*: none, limited, full$/);
    assert.match(
      faultOf({ hosts: { ironic: 'x' }, colour: 1 }),
      /colour: there is no such value\n +hosts.ironic: there is/,
    );
    assert.match(faultOf({ tenancy: { model: 'full' } }), /^tenancy.tenants is empty/);
    assert.match(faultOf({ image: { tag: '{{ .Values.x }}' } }), /^image.tag must match/);
  });

  test('--set reads numbers, yes and no, lists and texts', () => {
    const set = ['replicas=3', 'crds.install=false', 'tenancy.model=full', 'tenancy.tenants={a,b}', 'image.tag=v1=2'];
    const values: Values = readValues(set.reduce(setValue, {}), version);
    assert.equal(values.replicas, 3);
    assert.equal(values.crds.install, false);
    assert.deepEqual(values.tenancy, { model: 'full', tenants: ['a', 'b'] });
    assert.equal(values.image.tag, 'v1=2');
    assert.equal(values.image.repository, 'rackwright');
    assert.throws(() => setValue({}, 'x'), /path=value is needed/);
  });
});

describe('conditions', () => {
  test('mean the same here and in the chart', () => {
    const condition = { all: [{ is: 'a.b' }, { not: { any: [{ equals: ['c', 'x'] as const }, { is: 'd' }] } }] };
    assert.equal(helmCondition(condition), '(and $.Values.a.b (not (or (eq $.Values.c "x") $.Values.d)))');
    assert.equal(holds(condition, { a: { b: 1 }, c: 'y', d: [] }), true);
    assert.equal(holds(condition, { a: { b: 1 }, c: 'y', d: ['z'] }), false);
    assert.equal(holds(condition, { a: { b: '' }, c: 'y' }), false);
  });
});

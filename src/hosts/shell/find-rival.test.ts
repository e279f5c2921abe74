import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BareMetalHost, metal3ApiVersion } from '../../api/index.ts';
import { discoveryNote, writeDiscoveryNote } from '../annotations/discovery-note.ts';
import { hostIndexers } from '../objects.ts';
import { statusIn } from '../testing/settled-status.ts';
import { findRival } from './find-rival.ts';

function hostOf(name: string, more: { readonly note?: string; readonly id?: string; readonly at?: string }) {
  const { note, id, at = '2025-01-01T00:00:00Z' } = more;
  const annotations = note === undefined ? {} : { [discoveryNote]: writeDiscoveryNote({ provisionerId: note }) };
  const host: BareMetalHost = {
    apiVersion: metal3ApiVersion,
    kind: 'BareMetalHost',
    metadata: { namespace: 'fleet', name, uid: name, creationTimestamp: at, annotations },
    status: statusIn(
      'available',
      id === undefined
        ? { provisioning: { state: 'importing', ID: '' } }
        : { provisioning: { state: 'available', ID: id } },
    ),
  };
  return host;
}

function rivalOf(host: BareMetalHost, ...others: readonly BareMetalHost[]): string | undefined {
  const all = [host, ...others];
  const byIndex = (index: string, value: string) =>
    all.filter((each) => hostIndexers[index]?.(each as never).includes(value) === true);
  return findRival({ byIndex }, host);
}

const host = hostOf('h2', { note: 'node-7', at: '2025-01-02T00:00:00Z' });

test('a host whose machine nobody else has has no rival', () => {
  assert.equal(rivalOf(host), undefined);
  assert.equal(rivalOf(host, hostOf('h1', { note: 'node-8' }), hostOf('h3', { id: 'node-9' })), undefined);
  assert.equal(rivalOf(hostOf('h2', {}), hostOf('h1', { note: 'node-7' })), undefined);
});

test('a host that its provisioner knows by that id is one, whenever it was made', () => {
  assert.equal(rivalOf(host, hostOf('h1', { id: 'node-7', at: '2025-02-01T00:00:00Z' })), 'fleet/h1');
});

test('of two that were made of one machine the older one has it', () => {
  const older = hostOf('h1', { note: 'node-7', at: '2025-01-01T00:00:00Z' });
  assert.equal(rivalOf(host, older), 'fleet/h1');
  assert.equal(rivalOf(older, host), undefined);
  const twin = hostOf('h3', { note: 'node-7', at: '2025-01-02T00:00:00Z' });
  assert.equal(rivalOf(host, twin), undefined, 'one of two of the same age has it');
  assert.equal(rivalOf(twin, host), 'fleet/h2');
});

test('one that has become another machine since is none, and who has the machine has no rival', () => {
  assert.equal(rivalOf(host, hostOf('h1', { note: 'node-7', id: 'node-11' })), undefined);
  assert.equal(rivalOf(hostOf('h2', { note: 'node-7', id: 'node-7' }), hostOf('h1', { note: 'node-7' })), undefined);
});

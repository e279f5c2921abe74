import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ironcoreApiVersion } from '../../api/index.ts';
import type { KubeClient, KubeObject, ResourceRef } from '../../kube/index.ts';
import type { Session } from '../objects/session.ts';
import { silentTerminal } from '../reference-page.ts';
import type { Terminal } from '../terminal.ts';
import { planFirmwareOf } from './plan-firmware.ts';
import { whyServer } from './why-server.ts';

const servers = 10_000;
const groups = 20;

/** A fleet of which every tenth server is behind, as listings have it. */
function fleetOf(now: number): Readonly<Record<string, readonly object[]>> {
  const names = Array.from({ length: servers }, (_, at) => ({ at, name: `s${at}`, group: `g${at % groups}` }));
  const entry = (version: string) => ({ name: 'nic', manufacturer: 'ACME', version });
  const owned = {
    'k:{"manufacturer":"ACME","model":"","name":"nic","slot":"","softwareId":""}': { '.': {}, 'f:version': {} },
  };
  const managedFields = [
    { manager: 'rackwright-server-group', operation: 'Apply', fieldsV1: { 'f:spec': { 'f:firmwares': owned } } },
  ];
  return {
    servers: names.map(({ name }) => ({
      metadata: { name },
      spec: { systemUUID: name },
      status: { manufacturer: 'Lenovo', model: '7x21' },
    })),
    serverfirmwares: names.map(({ at, name, group }) => ({
      metadata: {
        name,
        uid: name,
        labels: { group },
        annotations: { 'metal.ironcore.dev/firmware-group': group },
        generation: 1,
        managedFields,
      },
      spec: { serverRef: { name }, firmwares: [entry('2')] },
      status: { lastScanTime: new Date(now).toISOString(), firmwares: [entry(at % 10 === 0 ? '1' : '2')] },
    })),
    serverfirmwaregroups: Array.from({ length: groups }, (_, at) => ({
      apiVersion: ironcoreApiVersion,
      metadata: { name: `g${at}`, generation: 1 },
      spec: {
        manufacturer: 'Lenovo',
        model: '7x21',
        serverSelector: { matchLabels: { group: `g${at}` } },
        firmwares: [entry('2')],
      },
    })),
  };
}

/** A session that only lists, and notes what. */
function listingSession(fleet: Readonly<Record<string, readonly object[]>>): { session: Session; asked: string[] } {
  const asked: string[] = [];
  const client = {
    resource: ({ resource }: ResourceRef) => ({
      list: async ({ fieldSelector = '' }: { fieldSelector?: string } = {}) => {
        asked.push(`${resource}${fieldSelector === '' ? '' : ` ${fieldSelector}`}`);
        return { items: (fleet[resource] ?? []) as KubeObject[], resourceVersion: '1' };
      },
    }),
  } as unknown as KubeClient;
  return { session: { client, mapper: {} as never, namespace: 'default', isNamespaceGiven: false }, asked };
}

test('a fleet of 10,000 is planned with one listing of each kind, and a server explained with one of its events more', async () => {
  const { session, asked } = listingSession(fleetOf(Date.now()));
  let out = '';
  const terminal: Terminal = {
    ...silentTerminal,
    out(text) {
      out += text;
    },
  };
  const kinds = ['baremetalhosts', 'bmcs', 'discoveredfirmwares', 'serverfirmwaregroups', 'serverfirmwares', 'servers'];
  await planFirmwareOf([], { fieldManager: 'test' }, { session, terminal });
  assert.deepEqual(asked.splice(0).toSorted(), kinds);
  assert.match(
    out,
    /10000 servers at .*: 1000 update, 9000 up-to-date\.\n1000 servers would be updated: 1000 installs with 1000 reboots/,
  );
  out = '';
  await whyServer('s10', {}, { session, terminal, rest: undefined });
  assert.deepEqual(asked.toSorted(), [...kinds, 'events involvedObject.uid=s10'].toSorted());
  assert.match(out, /^Server s10 is a Lenovo 7x21/);
});

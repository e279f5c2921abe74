import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { conditionOf, liveHost, ordersOf, rebootOnce } from '../testing/live-host.ts';
import type { PlayedHost } from '../testing/played-host.ts';
import type { DrainOutcome, NodeFound, NodeReturn } from './nodes-seen.ts';

const drain = 'hosts.rackwright.io/drain';
const noted = 'hosts.rackwright.io/drained-node';

/** A host with a Node whose pods leave when they are told to. */
function hostOnNode(value = '', more: Record<string, string> = {}) {
  const played = liveHost({ annotations: { [rebootOnce]: '', [drain]: value, ...more } });
  const calls: string[] = [];
  const says: { found: NodeFound; drain: DrainOutcome; given: NodeReturn } = {
    found: { kind: 'found', name: 'node-7' },
    drain: { kind: 'waits', message: 'waits for shop/web-1 (its disruption budget does not let it go)' },
    given: { kind: 'done' },
  };
  played.nodes = {
    find: async () => says.found,
    drain: async ({ node, host, ticket }) => {
      assert.equal(played.host.status?.operationalStatus, 'servicing', 'it is stored before anything is done');
      assert.deepEqual([node, host, ticket], ['node-7', 'fleet/h1', played.status.operationHistory?.service?.start]);
      calls.push('drain');
      return says.drain;
    },
    giveBack: async ({ node, host }) => {
      calls.push(`give back ${node} ${host}`);
      return says.given;
    },
  };
  return { played, calls, says };
}

const services = (played: PlayedHost) => ordersOf(played, 'service').filter(({ isSpecified }) => isSpecified === true);
const notedOn = ({ host }: PlayedHost) => host.metadata.annotations?.[noted];

describe('the Node behind a host', () => {
  it('is left alone unless somebody asks for it to be drained', async () => {
    for (const value of [undefined, 'false']) {
      const { played, calls } = hostOnNode();
      played.annotate({ [drain]: value });
      await played.settle();
      assert.deepEqual([calls, played.status.operationalStatus], [[], 'OK']);
    }
  });

  it('is drained before the machine is touched, and given back when the host is OK again', async () => {
    const { played, calls, says } = hostOnNode();
    const end = await played.round();
    assert.equal(end.why[0]?.code, 'Draining');
    assert.deepEqual([services(played), notedOn(played)], [[], 'node-7']);
    assert.equal(conditionOf(played, 'LiveUpdates'), 'True Draining');
    assert.match(played.status.conditions?.find(({ type }) => type === 'LiveUpdates')?.message ?? '', /shop\/web-1/);
    assert.equal(played.status.operationalStatus, 'servicing');
    says.drain = { kind: 'drained' };
    await played.settle();
    assert.equal(services(played).length, 1);
    assert.equal(played.status.operationalStatus, 'OK');
    assert.deepEqual([calls.at(-1), notedOn(played)], ['give back node-7 fleet/h1', undefined]);
    assert.equal(calls.filter((call) => call.startsWith('give')).length, 1);
  });

  it('is not looked for where the host runs none', async () => {
    const { played, calls, says } = hostOnNode();
    says.found = { kind: 'none' };
    await played.settle();
    assert.deepEqual([calls, played.status.operationalStatus, notedOn(played)], [[], 'OK', undefined]);
  });

  it('is waited for while it cannot be asked, and that is said', async () => {
    const { played, calls, says } = hostOnNode();
    says.found = { kind: 'unreadable', message: 'the Nodes cannot be read: nobody answers' };
    await played.round();
    assert.deepEqual([calls, services(played)], [[], []]);
    assert.equal(conditionOf(played, 'LiveUpdates'), 'True Draining');
  });

  it('that is not drained in time ends the attempt with its cause, and stays as it is until the host is OK', async () => {
    const { played, calls, says } = hostOnNode('10m');
    await played.round();
    played.clock.advance(10 * 60_000 + 1001);
    await played.round();
    assert.equal(played.status.errorType, 'servicing error');
    assert.match(played.status.errorMessage ?? '', /could not be drained in time: .*shop\/web-1/);
    assert.deepEqual([services(played), notedOn(played)], [[], 'node-7']);
    says.drain = { kind: 'drained' };
    played.clock.advance(600_000);
    await played.settle();
    assert.deepEqual([played.status.operationalStatus, services(played).length, notedOn(played)], ['OK', 1, undefined]);
    assert.match(calls.at(-1) ?? '', /^give back/);
  });

  it('is given back when the live update is given up while pods are in the way', async () => {
    const { played, calls } = hostOnNode();
    await played.round();
    played.updatePolicy = undefined;
    await played.settle();
    assert.deepEqual([played.status.operationalStatus, services(played), notedOn(played)], ['OK', [], undefined]);
    assert.match(calls.at(-1) ?? '', /^give back/);
    assert.ok(played.reasons().includes('ServicingAborted'));
  });

  it('that could not be given back is tried again, and the host does not wait for it', async () => {
    const { played, calls, says } = hostOnNode();
    says.drain = { kind: 'drained' };
    says.given = { kind: 'failed', message: 'nobody answers' };
    await played.settle();
    assert.deepEqual([played.status.operationalStatus, notedOn(played)], ['OK', 'node-7']);
    says.given = { kind: 'done' };
    await played.round();
    assert.equal(notedOn(played), undefined);
    assert.ok(calls.filter((call) => call.startsWith('give')).length > 1);
  });

  it('is found again by whoever goes on after a restart', async () => {
    const { played, says } = hostOnNode();
    await played.round();
    played.forget();
    says.found = { kind: 'none' };
    says.drain = { kind: 'drained' };
    await played.settle();
    assert.deepEqual([played.status.operationalStatus, notedOn(played)], ['OK', undefined]);
  });
});

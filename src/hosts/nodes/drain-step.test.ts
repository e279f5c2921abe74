import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { conditionOf, liveHost, ordersOf, rebootOnce } from '../testing/live-host.ts';
import { type PlayedHost, wakeMs } from '../testing/played-host.ts';
import type { DrainOutcome, NodeFound, NodeReturn } from './nodes-seen.ts';

const drain = 'hosts.rackwright.io/drain';
const detached = 'baremetalhost.metal3.io/detached';
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

  for (const value of ['', '{"force":true}']) {
    it(`is given back when the host is detached meanwhile${value === '' ? '' : ' by force'}, since its machine runs on`, async () => {
      const { played, calls, says } = hostOnNode();
      await played.round();
      says.given = { kind: 'failed', message: 'nobody answers' };
      played.annotate({ [detached]: value });
      await played.settle();
      assert.deepEqual([played.status.operationalStatus, notedOn(played)], ['detached', 'node-7']);
      says.given = { kind: 'done' };
      await played.round();
      assert.deepEqual([played.status.operationalStatus, notedOn(played)], ['detached', undefined]);
      assert.equal(played.reasons().at(-1), 'NodeReturned');
      const before = calls.length;
      await played.round();
      assert.equal(calls.length, before, 'it is given back once');
    });
  }

  for (const [how, annotation] of [
    ['', undefined],
    [' while it is detached', '{"force":true}'],
  ] as const) {
    it(`is given back before a host is gone that is deleted meanwhile${how}, however often that has to be tried`, async () => {
      const { played, calls, says } = hostOnNode();
      await played.round();
      says.given = { kind: 'failed', message: 'nobody answers' };
      played.annotate({ [detached]: annotation });
      played.delete();
      const end = await played.round();
      assert.deepEqual([played.state, played.host.metadata.finalizers?.length], ['deleting', 1]);
      assert.match(played.status.errorMessage, /Node that was drained for it could not be given back: nobody answers/);
      says.given = { kind: 'done' };
      played.clock.advance(wakeMs(end.wake));
      await played.round();
      assert.deepEqual([notedOn(played), played.host.metadata.finalizers], [undefined, []]);
      assert.match(calls.at(-1) ?? '', /^give back/);
    });
  }

  it('does not keep a host for ever that is deleted, though it cannot be given back', async () => {
    const { played, says } = hostOnNode();
    await played.round();
    says.given = { kind: 'failed', message: 'nobody answers' };
    played.delete();
    for (let round = 0; round < 5 && played.host.metadata.finalizers?.length !== 0; round++) {
      played.clock.advance(wakeMs((await played.round()).wake));
    }
    assert.deepEqual(played.host.metadata.finalizers, []);
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

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { HostIdentity } from '../../provisioners/index.ts';
import { silentLogger } from '../../telemetry/index.ts';
import { type ExternalWork, nobodyElse } from '../ports.ts';
import { createHeldWork } from './held-work.ts';

function hostAt(address: string): HostIdentity {
  return {
    namespace: 'fleet',
    name: 'h1',
    bmc: { address, isCertificateUnchecked: false },
    isPowerOffDisabled: false,
  };
}

const [here, elsewhere] = [hostAt('redfish://10.0.0.7'), hostAt('redfish://10.0.0.8')];

/** A desk that tells what it was told, and breaks as often as it is to. */
function openDesk(more: Partial<ExternalWork> = {}) {
  const told: string[] = [];
  let failures = 0;
  const tell = async (what: string): Promise<void> => {
    told.push(what);
    if (failures === 0) return;
    failures -= 1;
    throw new Error('the store is away');
  };
  const desk: ExternalWork = {
    ...nobodyElse,
    hold: (host, what) => tell(`hold ${host.bmc?.address} ${what}`).then(() => ({ kind: 'held' })),
    release: ({ bmc }) => tell(`release ${bmc?.address}`),
    releaseOwner: ({ name }) => tell(`release ${name}`),
    ...more,
  };
  const fail = (times: number): void => {
    failures = times;
  };
  return { told, fail, work: createHeldWork(desk, silentLogger) };
}

describe('what is held for a host', () => {
  it('is released once, and not where nothing is held', async () => {
    const { told, work } = openDesk();
    await work.release(here);
    await work.hold(here, 'power');
    await work.release(here);
    await work.release(here);
    assert.deepEqual(told, ['hold redfish://10.0.0.7 power', 'release redfish://10.0.0.7']);
  });

  it('is refused for a while where nobody can be asked', async () => {
    const { fail, work } = openDesk();
    fail(1);
    const hold = await work.hold(here, 'power');
    assert.deepEqual(hold, {
      kind: 'refused',
      message: 'whether others work on its machine cannot be asked now; nothing is done to it before',
      afterMs: 10_000,
    });
    assert.deepEqual(await work.hold(here, 'power'), { kind: 'held' });
  });

  it('and could not be released is released later', async () => {
    const { told, fail, work } = openDesk();
    await work.hold(here, 'power');
    fail(2);
    await work.release(here);
    await work.makeGood(here);
    assert.equal(work.isOwed(here), true);
    await work.makeGood(here);
    assert.equal(work.isOwed(here), false);
    await work.makeGood(here);
    assert.deepEqual(told.slice(1), ['release redfish://10.0.0.7', 'release h1', 'release h1']);
  });

  it('and could not be released stays held when there is more to do', async () => {
    const { told, fail, work } = openDesk();
    await work.hold(here, 'inspect');
    fail(1);
    await work.release(here);
    await work.hold(here, 'clean');
    await work.makeGood(here);
    assert.deepEqual(told.slice(2), ['hold redfish://10.0.0.7 clean']);
  });

  it('is released by its owner when its BMC is elsewhere meanwhile', async () => {
    const { told, work } = openDesk();
    await work.hold(here, 'power');
    await work.release(elsewhere);
    assert.deepEqual(told.slice(1), ['release h1']);
  });

  it('is released before anything is held where its BMC is meanwhile', async () => {
    const { told, fail, work } = openDesk();
    await work.hold(here, 'power');
    fail(1);
    assert.equal((await work.hold(elsewhere, 'power')).kind, 'refused');
    assert.equal((await work.hold(elsewhere, 'power')).kind, 'held');
    assert.deepEqual(told.slice(1), ['release h1', 'release h1', 'hold redfish://10.0.0.8 power']);
    await work.release(elsewhere);
    assert.equal(told.at(-1), 'release redfish://10.0.0.8');
  });

  it('since before this process is released by its owner, and is asked for once', async () => {
    let asked = 0;
    const owners = async () => {
      asked += 1;
      if (asked === 1) throw new Error('the store is away');
      return [{ namespace: 'fleet', name: 'h1' }];
    };
    const { told, work } = openDesk({ owners });
    await work.release(here);
    assert.deepEqual([told, work.isOwed(here)], [[], true]);
    await work.release({ ...here, name: 'h2' });
    await work.release(here);
    await work.release(here);
    assert.deepEqual([told, asked], [['release h1'], 2]);
  });

  it('since before this process is released with what is held where its BMC is meanwhile', async () => {
    const { told, work } = openDesk({ owners: async () => [{ namespace: 'fleet', name: 'h1' }] });
    await work.hold(elsewhere, 'power');
    await work.release(elsewhere);
    await work.release(elsewhere);
    assert.deepEqual(told, ['hold redfish://10.0.0.8 power', 'release h1']);
  });

  it('for good and could not be released is released when the host is gone', async () => {
    const { told, fail, work } = openDesk();
    fail(1);
    await work.releaseOwner(here);
    await work.forget(here);
    await work.forget(here);
    assert.deepEqual(told, ['release h1', 'release h1']);
  });

  it('for a host that is gone is released by its owner, and nothing is remembered of it', async () => {
    const { told, fail, work } = openDesk();
    await work.hold(here, 'power');
    fail(1);
    await assert.rejects(work.forget(here));
    await work.forget(here);
    await work.forget(here);
    assert.deepEqual(told.slice(1), ['release h1', 'release h1']);
  });
});

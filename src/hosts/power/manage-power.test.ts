import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BareMetalHostSpec } from '../../api/index.ts';
import { nobodyElse } from '../ports.ts';
import { type PlayedHost, playHost, wakeMs } from '../testing/played-host.ts';
import { deployed, statusIn } from '../testing/settled-status.ts';

const image = { url: 'http://images.example/a.qcow2', checksum: 'abc' };
const one = 'reboot.metal3.io';
const held = 'reboot.metal3.io/fencing';
const detached = 'baremetalhost.metal3.io/detached';

function inUse(spec: Partial<BareMetalHostSpec> = {}, annotations: Record<string, string> = {}): PlayedHost {
  return playHost({ status: statusIn('provisioned', deployed()), spec: { image, ...spec }, annotations });
}

function ordersOf({ provisioners }: PlayedHost): unknown[] {
  return provisioners.calls.filter(({ method }) => method === 'setPower').map(({ order }) => order);
}

/** One round; the host as it was stored when its power was to be switched. */
async function untilAsked(played: PlayedHost): Promise<PlayedHost['host']> {
  let asked: PlayedHost['host'] | undefined;
  played.externalWork = {
    ...nobodyElse,
    async hold() {
      asked ??= played.host;
      return { kind: 'held' };
    },
  };
  await played.round();
  assert.ok(asked);
  return asked;
}

const softOff = { target: 'off', mode: 'soft', isForced: false, isRetry: false };
const hardOff = { ...softOff, mode: 'hard' };
const on = { ...softOff, target: 'on' };

describe('the power of a host', () => {
  it('is left as it is when it is as it should be, and looked at every minute', async () => {
    const played = inUse();
    const end = await played.round();
    assert.equal(wakeMs(end.wake), 60_000);
    assert.deepEqual(ordersOf(played), []);
  });

  it('is switched off softly when the host is to be offline', async () => {
    const played = inUse({ online: false });
    await played.round();
    assert.deepEqual(ordersOf(played), [softOff]);
    assert.equal(played.status.poweredOn, false);
    assert.deepEqual(played.events, [{ type: 'Normal', reason: 'PowerOff', message: 'Host soft powered off' }]);
    assert.deepEqual(played.counts, [{ metric: 'powerChange', labels: { on_off: 'off' } }]);
  });

  it('is switched on when the host is to be online', async () => {
    const played = inUse();
    played.provisioners.machine('h1').isPoweredOn = false;
    await played.round();
    assert.deepEqual(ordersOf(played), [on]);
    assert.equal(played.status.poweredOn, true);
    assert.deepEqual(played.events, [{ type: 'Normal', reason: 'PowerOn', message: 'Host powered on' }]);
  });

  it('that changed by itself is told', async () => {
    const played = inUse({ online: false });
    played.provisioners.machine('h1').isPoweredOn = false;
    await played.round();
    assert.equal(played.status.poweredOn, false);
    assert.deepEqual(ordersOf(played), []);
    assert.deepEqual(played.events, [], 'nobody asked for it');
  });

  it('that nobody can tell is left alone', async () => {
    const played = inUse();
    played.provisioners.answer('look', { kind: 'done', value: {} as never });
    await played.round();
    assert.equal(played.status.poweredOn, true);
    assert.deepEqual(ordersOf(played), []);
  });

  it('that does not go off softly is taken hard at the next try', async () => {
    const played = inUse({ online: false });
    played.provisioners.answer('setPower', { kind: 'failed', message: 'the host ignores it' });
    await played.round();
    assert.equal(played.status.errorType, 'power management error');
    assert.equal(
      played.status.errorMessage,
      'Continuing with hard poweroff after soft poweroff fails. More details: the host ignores it',
    );
    await played.round();
    assert.deepEqual(ordersOf(played), [softOff, { ...hardOff, isRetry: true }]);
    assert.equal(played.status.errorType, undefined);
    assert.equal(played.status.errorCount, 0);
    assert.deepEqual(played.reasons(), ['PowerManagementError', 'PowerOff']);
  });

  it('is switched softly though something else failed before', async () => {
    const failed = { errorCount: 2, errorMessage: 'x', operationalStatus: 'error' } as const;
    for (const more of [{ errorCount: 4 }, { ...failed, errorType: 'provisioned registration error' as const }]) {
      const status = statusIn('provisioned', { ...deployed(), ...more });
      const played = playHost({ status, spec: { image, online: false } });
      await played.round();
      assert.deepEqual(ordersOf(played), [softOff]);
      assert.equal(played.status.errorCount, 0, 'failures that are over do not count any more');
    }
  });

  it('that does not go off softly stays hard while it is being switched', async () => {
    const played = inUse({ online: false });
    const goesOn = { kind: 'continue', afterMs: 3000 } as const;
    played.provisioners.answer('setPower', { kind: 'failed', message: 'no' }, { ...goesOn, hasStarted: true }, goesOn);
    for (let round = 0; round < 3; round++) await played.round();
    assert.deepEqual(
      ordersOf(played).map((order) => (order as { mode: string }).mode),
      ['soft', 'hard', 'hard'],
    );
  });

  it('that is at rest forgets the failures of before', async () => {
    const played = playHost({ status: statusIn('provisioned', { ...deployed(), errorCount: 7 }), spec: { image } });
    await played.round();
    assert.equal(played.status.errorCount, 0);
  });

  it('that is at rest does not forget an error that stands', async () => {
    const status = statusIn('available', {
      errorCount: 2,
      errorType: 'provisioning error',
      errorMessage: 'x',
      operationalStatus: 'error',
      provisioningFailCount: 5,
      lastAttemptedImage: image,
    });
    const played = playHost({ status, spec: { image } });
    await played.round();
    assert.equal(played.status.errorType, 'provisioning error');
    assert.ok(played.status.errorCount >= 2);
  });

  it('that comes to be as it should by itself ends the error about it', async () => {
    const played = playHost({
      status: statusIn('provisioned', {
        ...deployed(),
        errorType: 'power management error',
        errorMessage: 'x',
        errorCount: 2,
        operationalStatus: 'error',
      }),
      spec: { image },
    });
    await played.round();
    assert.equal(played.status.errorType, undefined);
    assert.equal(played.status.errorCount, 0);
    assert.equal(played.status.operationalStatus, 'OK');
  });

  it('of a host that must not be off is restarted instead, once', async () => {
    const played = inUse({ disablePowerOff: true }, { [one]: '' });
    await played.round();
    assert.deepEqual(ordersOf(played), [{ target: 'reboot', mode: 'soft', isForced: false, isRetry: false }]);
    assert.deepEqual(Object.keys(played.host.metadata.annotations ?? {}), []);
    await played.round();
    assert.equal(ordersOf(played).length, 1);
  });

  for (const when of ['its annotation could not be removed', 'the process ended'] as const) {
    it(`of a host that must not be off is restarted once though ${when} after that`, async () => {
      const played = inUse({ disablePowerOff: true }, { [one]: '' });
      const asked = await untilAsked(played);
      played.host = { ...asked, metadata: { ...asked.metadata, labels: { written: 'by-others' } } };
      if (when === 'the process ended') played.forget();
      await played.round();
      await played.round();
      assert.deepEqual(ordersOf(played).length, 1);
      assert.deepEqual(Object.keys(played.host.metadata.annotations ?? {}), []);
      played.annotate({ [one]: '' });
      await played.round();
      assert.equal(ordersOf(played).length, 2, 'the next wish is another one');
    });
  }

  it('of a host that must not be off is restarted as somebody wants it after a restart that nobody heard of', async () => {
    const played = inUse({ disablePowerOff: true }, { [one]: '' });
    played.host = await untilAsked(played);
    played.annotate({ [one]: '{"mode":"hard"}' });
    await played.round();
    assert.deepEqual(
      ordersOf(played).map((order) => (order as { mode: string }).mode),
      ['soft', 'hard'],
    );
    assert.deepEqual(Object.keys(played.host.metadata.annotations ?? {}), []);
  });

  for (const kind of ['busy', 'unavailable', 'failed', 'continue'] as const) {
    it(`of a host that must not be off is asked for again where the answer is ${kind}`, async () => {
      const played = inUse({ disablePowerOff: true }, { [one]: '' });
      played.provisioners.answer('setPower', { kind, message: 'not now', afterMs: 1000 });
      await played.round();
      assert.deepEqual(played.host.metadata.annotations, { [one]: '' });
      await played.round();
      assert.equal(ordersOf(played).length, 2);
      assert.deepEqual(Object.keys(played.host.metadata.annotations ?? {}), []);
    });
  }

  it('of a host that must not be off is not taken for restarted by a wish that was taken back', async () => {
    const played = inUse({ disablePowerOff: true }, { [one]: '' });
    played.host = await untilAsked(played);
    played.annotate({ [one]: undefined });
    await played.round();
    assert.deepEqual(Object.keys(played.host.metadata.annotations ?? {}), []);
    played.annotate({ [one]: '' });
    await played.round();
    assert.equal(ordersOf(played).length, 2);
  });

  it('of a host that must not be off is not restarted over and over while somebody holds it off', async () => {
    const played = inUse({ disablePowerOff: true }, { [held]: '' });
    await played.round();
    await played.round();
    assert.deepEqual(ordersOf(played), []);
  });
});

describe('reboot annotations', () => {
  it('without a suffix: off, then removed, then on', async () => {
    const played = inUse({}, { [one]: '' });
    await played.settle();
    assert.deepEqual(ordersOf(played), [softOff, on]);
    assert.deepEqual(Object.keys(played.host.metadata.annotations ?? {}), []);
    assert.equal(played.status.poweredOn, true);
    const wasStoredOff = played.stored.some(({ poweredOn }) => !poweredOn);
    assert.ok(wasStoredOff, 'that it was off is stored before the annotation goes');
  });

  it('with a suffix: off until whoever holds it lets go; it is never removed by us', async () => {
    const played = inUse({}, { [held]: '' });
    await played.round();
    await played.round();
    assert.deepEqual(ordersOf(played), [softOff]);
    assert.ok(held in (played.host.metadata.annotations ?? {}));
    played.annotate({ [held]: undefined });
    await played.round();
    assert.deepEqual(ordersOf(played), [softOff, on]);
  });

  it('with and without a suffix: the one without goes, the host stays off', async () => {
    const played = inUse({}, { [held]: '', [one]: '' });
    await played.settle();
    assert.deepEqual(Object.keys(played.host.metadata.annotations ?? {}), [held]);
    assert.deepEqual(ordersOf(played), [softOff]);
  });

  const modes: readonly (readonly [string, Record<string, string>, string])[] = [
    ['hard when it says so', { [one]: '{"mode":"hard"}' }, 'hard'],
    ['soft when it says so', { [one]: '{"mode":"soft"}' }, 'soft'],
    ['hard when any of them says so', { [one]: '{"mode":"soft"}', [held]: '{"mode":"hard"}' }, 'hard'],
    ['soft when it cannot be read', { [one]: 'now!' }, 'soft'],
    ['soft when its mode is unknown', { [one]: '{"mode":"sideways"}' }, 'soft'],
  ];
  for (const [what, annotations, mode] of modes) {
    it(`are ${what}`, async () => {
      const played = inUse({}, annotations);
      await played.round();
      assert.equal((ordersOf(played)[0] as { mode: string }).mode, mode);
    });
  }

  it('that cannot be read are told', async () => {
    const played = inUse({}, { [one]: 'now!' });
    await played.round();
    assert.ok(played.reasons().includes('InvalidAnnotationValue'));
  });

  it('count outside of use only when they force it', async () => {
    const played = playHost({ status: statusIn('available'), annotations: { [one]: '{"mode":"hard"}' } });
    await played.round();
    assert.deepEqual(ordersOf(played), []);
    played.annotate({ [one]: '{"mode":"hard","force":true}' });
    await played.round();
    assert.deepEqual(ordersOf(played), [{ target: 'off', mode: 'hard', isForced: true, isRetry: false }]);
  });

  it('that force it begin an inspection anew, and go', async () => {
    const played = playHost({ status: statusIn('inspecting'), annotations: { [one]: '{"force":true}' } });
    played.provisioners.answer('inspect', { kind: 'continue', afterMs: 10_000, hasStarted: true });
    await played.round();
    const call = played.provisioners.calls.find(({ method }) => method === 'inspect');
    assert.equal((call?.order as { isForced: boolean } | undefined)?.isForced, true);
    assert.deepEqual(Object.keys(played.host.metadata.annotations ?? {}), []);
  });

  it('that force it begin provisioning anew, and go', async () => {
    const played = playHost({
      status: statusIn('provisioning'),
      spec: { image },
      annotations: { [one]: '{"force":true}' },
    });
    played.provisioners.answer('provision', { kind: 'continue', afterMs: 10_000, hasStarted: true });
    await played.round();
    const call = played.provisioners.calls.find(({ method }) => method === 'provision');
    assert.equal((call?.order as { isForced: boolean } | undefined)?.isForced, true);
    assert.deepEqual(Object.keys(played.host.metadata.annotations ?? {}), []);
  });
});

describe('others who work on the machine', () => {
  it('are waited for before its power is switched, and nothing is asked meanwhile', async () => {
    const played = inUse({ online: false });
    const held: string[] = [];
    played.externalWork = {
      ...nobodyElse,
      hold: async (_, what) => {
        held.push(what);
        return held.length === 1
          ? { kind: 'refused', message: 'a firmware update runs', afterMs: 5000 }
          : { kind: 'held' };
      },
      release: async () => void held.push('released'),
    };
    const end = await played.round();
    assert.equal(wakeMs(end.wake), 5000);
    assert.deepEqual(end.why, [{ code: 'Busy', message: 'a firmware update runs' }]);
    assert.deepEqual(ordersOf(played), []);
    await played.round();
    assert.deepEqual(ordersOf(played), [softOff]);
    assert.deepEqual(held, ['power', 'power', 'released']);
  });

  it('are let in again when the power that was asked for is seen, which is told then', async () => {
    const played = inUse({ online: false });
    const held: string[] = [];
    played.externalWork = {
      ...nobodyElse,
      async hold(_, what) {
        held.push(what);
        return { kind: 'held' };
      },
      release: async () => void held.push('released'),
    };
    played.provisioners.answer('setPower', { kind: 'continue', afterMs: 3000, hasStarted: true });
    await played.round();
    assert.deepEqual([held, played.events], [['power'], []]);
    played.provisioners.machine('h1').isPoweredOn = false;
    await played.round();
    assert.deepEqual(held, ['power', 'released']);
    assert.deepEqual(played.events, [{ type: 'Normal', reason: 'PowerOff', message: 'Host soft powered off' }]);
    assert.deepEqual(played.counts, [{ metric: 'powerChange', labels: { on_off: 'off' } }]);
    await played.round();
    assert.deepEqual(held, ['power', 'released'], 'nothing is released where nothing is held');
    assert.equal(played.events.length, 1);
  });

  it('who cannot be asked are waited for', async () => {
    const played = inUse({ online: false });
    played.externalWork = {
      ...nobodyElse,
      hold: async () => {
        throw new Error('the store is away');
      },
    };
    const end = await played.round();
    assert.equal(wakeMs(end.wake), 10_000);
    assert.deepEqual(
      end.why.map(({ code }) => code),
      ['Busy'],
    );
    assert.deepEqual(ordersOf(played), []);
  });

  it('who cannot be let in again do not make a host restart twice, and are let in at the next round', async () => {
    const played = inUse({ disablePowerOff: true }, { [one]: '' });
    const told: string[] = [];
    played.externalWork = {
      ...nobodyElse,
      release: async () => {
        told.push('released');
        throw new Error('the store is away');
      },
      releaseOwner: async ({ name }) => void told.push(`${name} released`),
    };
    await played.round();
    assert.deepEqual(Object.keys(played.host.metadata.annotations ?? {}), []);
    await played.round();
    assert.equal(ordersOf(played).length, 1);
    assert.deepEqual(told.slice(-1), ['h1 released']);
  });

  it('are let in where the host was, when its BMC is elsewhere before that', async () => {
    const played = inUse({ online: false });
    const released: string[] = [];
    played.externalWork = {
      ...nobodyElse,
      release: async ({ bmc }) => void released.push(bmc?.address ?? ''),
      releaseOwner: async ({ name }) => void released.push(name),
    };
    played.provisioners.answer('setPower', { kind: 'continue', afterMs: 3000, hasStarted: true });
    await played.round();
    played.edit({ bmc: { address: 'redfish://10.0.0.99', credentialsName: 'bmc' } });
    played.provisioners.machine('h1').isPoweredOn = false;
    await played.round();
    assert.deepEqual(released, ['h1']);
  });

  const leavings: readonly (readonly [string, (played: PlayedHost) => void, string])[] = [
    ['that must not be off is deleted', (played) => played.delete(), 'fleet/h1 is gone'],
    [
      'is deleted while it is detached',
      (played) => {
        played.annotate({ [detached]: '' });
        played.delete();
      },
      'fleet/h1 is gone',
    ],
    ['is detached by force', (played) => played.annotate({ [detached]: '{"force":true}' }), 'released'],
  ];
  for (const [what, leave, how] of leavings) {
    it(`are let in when a host in the middle of work ${what}`, async () => {
      const played = playHost({ status: statusIn('inspecting'), spec: { disablePowerOff: true } });
      const held: string[] = [];
      played.externalWork = {
        ...nobodyElse,
        async hold(_, work) {
          held.push(work);
          return { kind: 'held' };
        },
        release: async () => void held.push('released'),
        releaseOwner: async ({ namespace, name }) => void held.push(`${namespace}/${name} is gone`),
      };
      played.provisioners.answer('inspect', { kind: 'continue', afterMs: 10_000, hasStarted: true });
      await played.round();
      leave(played);
      await played.round();
      assert.deepEqual(held, ['inspect', how]);
    });
  }

  it('are kept away from the beginning of each piece of work to its end', async () => {
    const played = playHost();
    const held: string[] = [];
    played.externalWork = {
      ...nobodyElse,
      async hold(_, what) {
        held.push(what);
        return { kind: 'held' };
      },
      release: async () => void held.push(`-${held.at(-1)}`),
    };
    played.provisioners.answer('inspect', { kind: 'continue', afterMs: 10_000, hasStarted: true });
    await played.round();
    assert.deepEqual(held, ['inspect']);
    played.edit({ image });
    await played.round();
    await played.round();
    played.edit({ image: { ...image, url: 'http://other' } });
    await played.round();
    assert.deepEqual(
      held.filter((each, index) => held.indexOf(each) === index),
      ['inspect', '-inspect', 'clean', '-clean', 'provision', '-provision', 'deprovision', '-deprovision'],
    );
  });
});

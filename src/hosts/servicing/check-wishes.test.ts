import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { allowAll, liveHost, ordersOf, policyOf, rebootOnce, settingsOf } from '../testing/live-host.ts';
import { type PlayedHost, wakeMs } from '../testing/played-host.ts';

const once = { [rebootOnce]: '' };
const powers = (played: PlayedHost) => ordersOf(played, 'setPower').map(({ target }) => target);
const checksOf = ({ done }: PlayedHost) => done.filter((each) => each === 'check-wishes').length;

/** A host in use that nobody wants changed, as far as anybody has heard. */
function contentHost(annotations: Record<string, string>): PlayedHost {
  const played = liveHost({ annotations });
  played.firmwareSettings = settingsOf({}, played.provisioners.machine('h1').settings);
  return played;
}

describe('a reboot that would change nothing', () => {
  it('is done once the API server has nothing else to tell either', async () => {
    const played = contentHost(once);
    await played.settle();
    assert.deepEqual(powers(played), ['off', 'on']);
    assert.ok(checksOf(played) > 0);
    assert.ok(played.done.indexOf('check-wishes') < played.done.indexOf('ask power'));
  });

  it('waits for what was wanted before it and is not told of yet', async () => {
    const played = contentHost(once);
    played.wishes = 'behind';
    const decision = await played.round();
    assert.deepEqual(powers(played), []);
    assert.deepEqual([wakeMs(decision.wake), decision.why[0]?.code], [1000, 'FirmwareUnread']);
    played.firmwareSettings = settingsOf({ ProcVirtualization: 'Enabled' }, played.provisioners.machine('h1').settings);
    await played.settle();
    assert.equal(ordersOf(played, 'service').length > 0, true);
    assert.deepEqual(powers(played), []);
  });

  it('is looked into for the policy that would allow it, too', async () => {
    const played = liveHost({ annotations: once });
    played.updatePolicy = undefined;
    played.wishes = 'behind';
    await played.round();
    assert.deepEqual(powers(played), []);
    played.updatePolicy = policyOf(allowAll);
    await played.settle();
    assert.deepEqual(powers(played), []);
    assert.ok(ordersOf(played, 'service').length > 0);
  });

  it('is looked into no more while the power is on its way', async () => {
    const played = contentHost(once);
    const goesOn = { kind: 'continue', afterMs: 10_000 } as const;
    played.provisioners.answer('setPower', goesOn, goesOn, goesOn);
    await played.round();
    const before = checksOf(played);
    await played.round();
    await played.round();
    assert.equal(checksOf(played), before);
  });

  it('is not looked into where nobody asked for one', async () => {
    const played = contentHost({});
    await played.round();
    assert.equal(checksOf(played), 0);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readHostHealth } from '../../api/index.ts';
import type { BmcProblem } from '../../provisioners/index.ts';
import { type PlayedHost, playHost, wakeMs } from '../testing/played-host.ts';
import { deployed, statusIn } from '../testing/settled-status.ts';

const image = { url: 'http://images.example/a.qcow2', checksum: 'abc' };
const silent: BmcProblem = { kind: 'passing', message: 'the BMC at https://10.0.0.7 cannot be reached: ECONNRESET' };
const refused: BmcProblem = {
  kind: 'lasting',
  message: 'the BMC at https://10.0.0.7 refused the credentials of user a',
};
const away: BmcProblem = { ...silent, kind: 'expected' };

function inUse(more: Parameters<typeof playHost>[0] = {}): PlayedHost {
  return playHost({ status: statusIn('provisioned', deployed()), spec: { image }, ...more });
}

/** One round in which the BMC does not answer; how soon the host is looked at again. */
async function roundWith(played: PlayedHost, bmcProblem: BmcProblem): Promise<number> {
  played.provisioners.answer('look', { kind: 'done', value: { bmcProblem } as never });
  const after = wakeMs((await played.round()).wake);
  played.clock.advance(after);
  return after;
}

async function lose(played: PlayedHost): Promise<void> {
  await roundWith(played, silent);
  await roundWith(played, silent);
}

function shown({ status }: PlayedHost): string[] {
  const manageable = status.conditions?.find(({ type }) => type === 'Manageable');
  const { kind } = readHostHealth({ spec: { online: true }, status });
  return [status.operationalStatus, status.errorType ?? '', `${manageable?.status} ${manageable?.reason}`, kind];
}

const fine = ['OK', '', 'True Manageable', 'ok'];
const lost = ['error', 'power management error', 'False PowerFailure', 'error'];

describe('a host whose BMC does not answer', () => {
  it('is in doubt at first, in error soon, and OK again as soon as it answers', async () => {
    const played = inUse();
    await played.round();
    assert.deepEqual(shown(played), fine);
    assert.equal(await roundWith(played, silent), 10_000);
    assert.deepEqual(shown(played), ['OK', '', 'Unknown BMCNotAnswering', 'unknown']);
    assert.equal(await roundWith(played, silent), 60_000);
    assert.deepEqual(shown(played), lost);
    assert.equal(played.status.errorMessage, silent.message);
    const before = played.status;
    await roundWith(played, { ...silent, message: 'the BMC at https://10.0.0.7 did not answer GET / within 20000 ms' });
    assert.deepEqual(played.status, before);
    await played.round();
    assert.deepEqual(shown(played), fine);
    assert.deepEqual([played.status.errorMessage, played.status.errorCount], ['', 0]);
    assert.deepEqual(played.reasons(), ['PowerManagementError']);
  });

  it('is in error at once where that lasts until somebody changes something', async () => {
    const played = inUse();
    await roundWith(played, refused);
    assert.deepEqual(shown(played), lost);
  });

  it('tells of another cause once that is another', async () => {
    const played = inUse();
    await lose(played);
    await roundWith(played, refused);
    assert.equal(played.status.errorMessage, refused.message);
    await played.round();
    assert.deepEqual(shown(played), fine);
  });

  it('keeps an error that it had before, also once it answers', async () => {
    const error = { operationalStatus: 'error', errorType: 'inspection error', errorMessage: 'no disk' } as const;
    const played = playHost({ status: statusIn('available', error), spec: { online: true } });
    await lose(played);
    assert.deepEqual(shown(played).slice(1, 3), ['inspection error', 'False PowerFailure']);
    assert.match(readHostHealth({ status: played.status }).why, /ECONNRESET\. It is also in error .*: no disk$/);
    await played.round();
    assert.deepEqual(shown(played).slice(0, 3), ['error', 'inspection error', 'True Manageable']);
    assert.equal(played.status.errorMessage, 'no disk');
  });

  it('is not switched, and is rebooted as softly as it was asked to be once the BMC answers', async () => {
    const played = inUse({ annotations: { 'reboot.metal3.io': '' } });
    await lose(played);
    assert.deepEqual(played.provisioners.methods().includes('setPower'), false);
    await played.round();
    const orders = played.provisioners.calls.filter(({ method }) => method === 'setPower').map(({ order }) => order);
    assert.deepEqual(orders[0], { target: 'off', mode: 'soft', isForced: false, isRetry: false });
  });

  it('is registered no other way than before', async () => {
    const played = inUse();
    await played.round();
    const before = played.provisioners.calls.filter(({ method }) => method === 'register').at(-1)?.order;
    await lose(played);
    await played.round();
    for (const { method, order } of played.provisioners.calls) {
      if (method === 'register') assert.deepEqual(order, before);
    }
  });

  it('is not provisioned before it answers', async () => {
    const played = playHost({ status: statusIn('available') });
    await lose(played);
    played.edit({ image });
    await roundWith(played, silent);
    assert.equal(played.state, 'available');
    await played.round();
    await played.settle();
    assert.equal(played.state, 'provisioned');
  });

  it('is only in doubt while others work on its machine', async () => {
    const played = inUse();
    for (let round = 0; round < 3; round++) await roundWith(played, away);
    assert.deepEqual(shown(played).slice(0, 3), ['OK', '', 'Unknown BMCNotAnswering']);
    await lose(played);
    await roundWith(played, away);
    assert.deepEqual(shown(played), lost);
  });

  it('is the same for one that cannot be looked at', async () => {
    const played = inUse();
    for (let round = 0; round < 2; round++) {
      played.provisioners.answer('look', { kind: 'failed', message: silent.message });
      played.clock.advance(wakeMs((await played.round()).wake));
    }
    assert.deepEqual(shown(played), lost);
  });
});

describe('a host whose BMC is lost while it is worked on', () => {
  const failed = { kind: 'failed', message: silent.message } as const;
  const manageable = ({ status }: PlayedHost) => {
    const { status: is, reason, message } = status.conditions?.find(({ type }) => type === 'Manageable') ?? {};
    return [is, reason, message];
  };
  const cause = ['False', 'PowerFailure', silent.message];

  for (const doubted of [false, true]) {
    it(`is not manageable${doubted ? ', also where it was in doubt before' : ''}, until its work goes on`, async () => {
      const played = playHost({ status: statusIn('available') });
      if (doubted) await roundWith(played, silent);
      played.edit({ image });
      played.provisioners.answer('provision', failed);
      await played.round();
      assert.deepEqual([played.state, played.status.errorType], ['provisioning', 'provisioning error']);
      assert.deepEqual(manageable(played), cause);
      played.provisioners.answer('deprovision', failed);
      await played.round();
      assert.deepEqual([played.state, ...manageable(played)], ['deprovisioning', ...cause]);
      assert.equal(readHostHealth({ status: played.status }).word, 'BMC unreachable');
      played.provisioners.answer('deprovision', { kind: 'continue', afterMs: 10_000 });
      await played.round();
      assert.deepEqual([played.state, ...manageable(played)], ['deprovisioning', 'True', 'Manageable', '']);
      await played.settle();
      assert.deepEqual([played.state, ...shown(played)], ['provisioned', ...fine]);
    });
  }

  it('is not manageable while it is inspected, prepared or switched off to be deleted', async () => {
    for (const [state, question] of [
      ['inspecting', 'inspect'],
      ['preparing', 'prepare'],
      ['powering off before delete', 'setPower'],
    ] as const) {
      const played = playHost({ status: statusIn(state) });
      played.host.metadata.finalizers = ['baremetalhost.metal3.io'];
      if (state === 'powering off before delete') played.delete();
      played.provisioners.answer(question, failed);
      await played.round();
      assert.deepEqual([played.state, ...manageable(played)], [state, ...cause]);
    }
  });

  it('is not manageable where Ironic says so', async () => {
    const message = 'Failed to prepare to deploy: Redfish connection failed for node 7: Unable to connect to 10.0.0.7';
    const played = playHost({ status: statusIn('available'), spec: { image } });
    played.provisioners.answer('provision', { kind: 'failed', message });
    await played.round();
    assert.deepEqual(manageable(played), ['False', 'PowerFailure', message]);
  });

  it('is manageable where what failed is not its BMC', async () => {
    const played = playHost({ status: statusIn('available'), spec: { image } });
    played.provisioners.answer('provision', { kind: 'failed', message: 'http://images.example cannot be reached' });
    await played.round();
    assert.deepEqual([played.status.errorType, manageable(played)[0]], ['provisioning error', 'True']);
  });

  it('is not manageable while it cannot be registered, and says since when', async () => {
    const played = inUse();
    await played.round();
    const since = () => played.status.conditions?.find(({ type }) => type === 'Manageable')?.lastTransitionTime;
    for (let round = 0; round < 2; round++) {
      played.provisioners.answer('register', { kind: 'failed', message: refused.message });
      played.clock.advance(wakeMs((await played.round()).wake));
      assert.deepEqual(
        [played.state, ...manageable(played)],
        ['provisioned', 'False', 'PowerFailure', refused.message],
      );
    }
    const lostAt = since();
    played.provisioners.answer('register', { kind: 'failed', message: refused.message });
    await played.round();
    assert.equal(since(), lostAt);
    await played.round();
    assert.deepEqual(shown(played), fine);
  });
});

describe('a host of whose BMC nothing is known', () => {
  it('is in doubt while its provisioner cannot be asked, unless its BMC was lost before', async () => {
    const played = inUse();
    await played.round();
    const gone = { kind: 'unavailable', message: 'Ironic is away', afterMs: 1000 } as const;
    played.provisioners.answer('look', gone);
    await played.round();
    assert.deepEqual(shown(played), ['OK', '', 'Unknown ProvisionerNotReady', 'unknown']);
    await played.round();
    assert.deepEqual(shown(played), fine);
    await lose(played);
    played.provisioners.answer('look', gone);
    await played.round();
    assert.deepEqual(shown(played), lost);
  });
});

it('a host on whose machine others work is being worked on until they have ended', async () => {
  const played = playHost({ status: statusIn('available') });
  const progressing = () => played.status.conditions?.find(({ type }) => type === 'Progressing');
  played.provisioners.answer('look', {
    kind: 'done',
    value: { isPoweredOn: true, maintenance: 'an install' } as never,
  });
  await played.round();
  assert.deepEqual([progressing()?.reason, progressing()?.message], ['FirmwareWork', 'an install']);
  assert.equal(readHostHealth({ status: played.status }).kind, 'busy');
  await played.round();
  assert.equal(progressing()?.reason, 'NotProgressing');
});

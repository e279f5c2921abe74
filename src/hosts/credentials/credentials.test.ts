import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type BareMetalHost, metal3ApiVersion } from '../../api/index.ts';
import type { SecretSeen } from '../decide/seen.ts';
import { finalizers, secretLabel } from '../resources.ts';
import { goodSecret, playHost, wakeMs } from '../testing/played-host.ts';
import { statusIn } from '../testing/settled-status.ts';
import { claimPatch, releasePatch, secretSeen } from './secrets.ts';

function foundWith(more: { username?: string; password?: string }): SecretSeen {
  return goodSecret.kind === 'found' ? { ...goodSecret, ...more } : assert.fail();
}

describe('BMC details that cannot be used', () => {
  const cases: readonly (readonly [string, Parameters<typeof playHost>[0], RegExp, number])[] = [
    [
      'an empty address',
      { spec: { bmc: { address: '', credentialsName: 'bmc' } } },
      /^Empty BMC address /,
      Number.POSITIVE_INFINITY,
    ],
    [
      'no Secret named',
      { spec: { bmc: { address: 'redfish://10.0.0.7', credentialsName: '' } } },
      /^No BMC CredentialsName defined /,
      Number.POSITIVE_INFINITY,
    ],
    [
      'a Secret that is not there',
      { secret: { kind: 'missing' } },
      /^BMC CredentialsName secret doesn't exist /,
      10_000,
    ],
    [
      'a Secret without a user',
      { secret: foundWith({ username: '' }) },
      /^Validation error with BMC credentials: Missing BMC connection detail 'username' in credentials$/,
      Number.POSITIVE_INFINITY,
    ],
    [
      'a Secret with a blank password',
      { secret: foundWith({ password: '  \n' }) },
      /Missing BMC connection detail 'password' in credentials$/,
      Number.POSITIVE_INFINITY,
    ],
    [
      'an address of an unknown type',
      { spec: { bmc: { address: 'foo://10.0.0.7', credentialsName: 'bmc' } } },
      /^Unknown BMC type 'foo' for address foo:\/\/10\.0\.0\.7; write it with one of ipmi, .* such as redfish:\/\/10\.0\.0\.7:8443 or /,
      Number.POSITIVE_INFINITY,
    ],
  ];
  for (const [what, options, message, wait] of cases) {
    it(`are ${what}: an error, told once, and nobody is asked`, async () => {
      const played = playHost(options);
      const end = await played.round();
      assert.equal(played.status.operationalStatus, 'error');
      assert.equal(played.status.errorType, 'registration error');
      assert.match(played.status.errorMessage, message);
      assert.deepEqual(played.reasons(), ['BMCCredentialError']);
      assert.equal(wakeMs(end.wake), wait);
      assert.deepEqual(played.provisioners.methods(), []);
      await played.round();
      assert.equal(played.status.errorCount, 1);
      assert.equal(played.reasons().length, 1);
    });
  }

  it('become good without a trace of the error', async () => {
    const played = playHost({ secret: { kind: 'missing' } });
    await played.round();
    played.secret = goodSecret;
    await played.round();
    assert.equal(played.state, 'available');
    assert.equal(played.status.errorType, undefined);
    assert.equal(played.status.errorCount, 0);
  });

  it('are claimed first when nobody has, and only once', async () => {
    const played = playHost({ secret: { kind: 'unread' } });
    await played.round();
    assert.ok(played.done.includes('claim-secret'));
    assert.match(played.status.errorMessage, /doesn't exist/);
    assert.equal(played.done.filter((each) => each === 'claim-secret').length, 1);
  });

  it('do not keep a host that leaves', async () => {
    const played = playHost({ status: statusIn('available'), secret: { kind: 'missing' } });
    played.delete();
    await played.round();
    assert.deepEqual(played.host.metadata.finalizers, []);
    assert.ok(!played.provisioners.methods().includes('register'));
    const call = played.provisioners.calls[0];
    assert.equal(call?.identity.bmc?.credentials, undefined);
  });

  it('never show a password', async () => {
    const played = playHost();
    played.provisioners.answer('register', { kind: 'failed', message: 'x' });
    const end = await played.round();
    assert.doesNotMatch(JSON.stringify([end, played.events, played.stored]), /hunter2/);
  });
});

describe('the Secret of a BMC', () => {
  const host: BareMetalHost = {
    apiVersion: metal3ApiVersion,
    kind: 'BareMetalHost',
    metadata: { name: 'h1', namespace: 'fleet', uid: 'u1' },
  };
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const owner = { apiVersion: metal3ApiVersion, kind: 'BareMetalHost', name: 'h1', uid: 'u1' };

  it('is read without spaces around what it says', () => {
    const seen = secretSeen(host, {
      metadata: { name: 'bmc', resourceVersion: '3' },
      data: { username: base64(' admin\n'), password: base64('pw ') },
    });
    assert.deepEqual(seen, { kind: 'found', version: '3', username: 'admin', password: 'pw', isClaimed: false });
  });

  it('is claimed by label, finalizer and an owner that is no controller', () => {
    assert.deepEqual(claimPatch(host, { isLeaving: false }), {
      metadata: {
        labels: { [secretLabel.name]: secretLabel.value },
        finalizers: [finalizers.secret],
        ownerReferences: [owner],
      },
    });
    const metadata = {
      name: 'bmc',
      labels: { [secretLabel.name]: secretLabel.value },
      finalizers: [finalizers.secret],
      ownerReferences: [owner],
    };
    assert.equal((secretSeen(host, { metadata }) as { isClaimed: boolean }).isClaimed, true);
    const other = { ...metadata, ownerReferences: [{ ...owner, uid: 'u0' }] };
    assert.equal((secretSeen(host, { metadata: other }) as { isClaimed: boolean }).isClaimed, false);
  });

  it('gets no finalizer from a host that leaves', () => {
    assert.deepEqual(claimPatch(host, { isLeaving: true }), {
      metadata: { labels: { [secretLabel.name]: secretLabel.value } },
    });
  });

  it('is let go owned, so that it goes with the host; one that another host uses stays', () => {
    const metadata = {
      name: 'bmc',
      resourceVersion: '3',
      finalizers: ['other', finalizers.secret],
      ownerReferences: [owner],
    };
    assert.deepEqual(releasePatch(host, { metadata }), { metadata: { resourceVersion: '3', finalizers: ['other'] } });
    const second = { ...owner, name: 'h2', uid: 'u2' };
    assert.deepEqual(releasePatch(host, { metadata: { ...metadata, ownerReferences: [owner, second] } }), {
      metadata: { resourceVersion: '3', ownerReferences: [second] },
    });
    assert.equal(releasePatch(host, { metadata: { ...metadata, ownerReferences: [second] } }), undefined);
    assert.equal(releasePatch(host, { metadata: { name: 'bmc' } }), undefined);
  });
});

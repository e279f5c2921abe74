import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isIssuedBy } from '../certificates.ts';
import { kubeError } from '../errors.ts';
import { createFakeClock, type FakeClock } from '../fake-clock.ts';
import { type CertifiedKey, splitCertificates } from '../pem.ts';
import { type AuthorityStore, createMemoryAuthorityStore } from './authority-store.ts';
import { createRotatingCertificates, type RotatingCertificates } from './rotating-certificates.ts';

const hour = 3_600_000;
const policy = {
  authorityMs: 100 * hour,
  rotateBeforeMs: 40 * hour,
  settleMs: hour,
  retireMs: 5 * hour,
  servingMs: 30 * hour,
};

interface Replica {
  readonly certificates: RotatingCertificates;
  served: CertifiedKey | undefined;
  isPublishingBroken: boolean;
}

/** What everyone who checks trusts: shared by all replicas, as webhook configurations are. */
interface Trust {
  bundle: string;
}

function replica(clock: FakeClock, store: AuthorityStore, trust: Trust): Replica {
  const self: Replica = {
    served: undefined,
    isPublishingBroken: false,
    certificates: createRotatingCertificates({
      store,
      clock,
      random: () => 0.5,
      names: { ips: ['127.0.0.1'] },
      policy,
      publish: async (bundle) => {
        if (self.isPublishingBroken) throw kubeError('ServiceUnavailable', 'the API is away');
        trust.bundle = bundle;
      },
      serve: (certificate) => {
        self.served = certificate;
      },
    }),
  };
  return self;
}

function isTrusted({ served }: Replica, trust: Trust, clock: FakeClock): boolean {
  if (served === undefined) return false;
  return splitCertificates(trust.bundle).some((ca) => isIssuedBy(served.certificatePem, ca, new Date(clock.now())));
}

describe('rotating certificates', () => {
  test('two replicas serve certificates that are trusted at every moment, through many rotations (security.md: tls-webhooks)', async () => {
    const clock = createFakeClock();
    const trust = { bundle: '' };
    const store = createMemoryAuthorityStore();
    const replicas = [replica(clock, store, trust), replica(clock, store, trust)];
    await Promise.all(replicas.map((r) => r.certificates.tick()));
    const authorities = new Set<string>();
    let mostAtOnce = 0;
    for (let i = 0; i < 300; i++) {
      // The second looks less often, as a busy one would.
      await replicas[0]?.certificates.tick();
      if (i % 3 === 0) await replicas[1]?.certificates.tick();
      const bundle = splitCertificates(trust.bundle);
      mostAtOnce = Math.max(mostAtOnce, bundle.length);
      for (const ca of bundle) authorities.add(ca);
      for (const one of replicas) assert.ok(isTrusted(one, trust, clock), `not trusted after ${i} hours`);
      clock.advance(hour);
    }
    assert.ok(authorities.size >= 4, `${authorities.size} authorities were used`);
    assert.equal(mostAtOnce, 2);
  });

  test('a new authority does not sign before it could be published', async () => {
    const clock = createFakeClock();
    const trust = { bundle: '' };
    const one = replica(clock, createMemoryAuthorityStore(), trust);
    await one.certificates.tick();
    const first = trust.bundle;
    clock.advance(61 * hour);
    one.isPublishingBroken = true;
    await assert.rejects(one.certificates.tick(), /the API is away/);
    clock.advance(10 * hour);
    await assert.rejects(one.certificates.tick(), /the API is away/);
    assert.equal(trust.bundle, first);
    assert.ok(isTrusted(one, trust, clock), 'renewed by the authority that is known');
    one.isPublishingBroken = false;
    await one.certificates.tick();
    assert.equal(splitCertificates(trust.bundle).length, 2);
    assert.ok(isTrusted(one, { bundle: first }, clock), 'still signed by the old authority');
    clock.advance(hour);
    await one.certificates.tick();
    assert.ok(!isTrusted(one, { bundle: first }, clock), 'now signed by the new one');
    assert.ok(isTrusted(one, trust, clock));
  });

  test('a server that was off past the end of its authority comes back trusted at once', async () => {
    const clock = createFakeClock();
    const trust = { bundle: '' };
    const one = replica(clock, createMemoryAuthorityStore(), trust);
    await one.certificates.tick();
    clock.advance(500 * hour);
    await one.certificates.tick();
    assert.ok(isTrusted(one, trust, clock));
  });

  test('keeps looking when a look fails', async () => {
    const clock = createFakeClock();
    const trust = { bundle: '' };
    const one = replica(clock, createMemoryAuthorityStore(), trust);
    one.isPublishingBroken = true;
    const stop = new AbortController();
    const running = one.certificates.run(stop.signal);
    await clock.untilPending();
    assert.equal(trust.bundle, '');
    one.isPublishingBroken = false;
    clock.advanceToNext();
    await clock.untilPending();
    assert.ok(isTrusted(one, trust, clock));
    stop.abort();
    await running;
  });
});

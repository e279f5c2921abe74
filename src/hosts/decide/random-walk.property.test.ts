import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { type BareMetalHostSpec, bareMetalHost, judge, validatorOf } from '../../api/index.ts';
import type { Outcome, Servicing } from '../../provisioners/index.ts';
import { bmcDetails, discovered, discoveredId } from '../testing/discovered-host.ts';
import { allowAll, componentsOf, policyOf, settingsOf } from '../testing/live-host.ts';
import { type PlayedHost, playHost } from '../testing/played-host.ts';
import { deployed, statusIn } from '../testing/settled-status.ts';

const validator = validatorOf(bareMetalHost, 'v1alpha1');
const methods = [
  'register',
  'importHost',
  'readInventory',
  'adopt',
  'inspect',
  'look',
  'prepare',
  'provision',
  'deprovision',
  'service',
  'setPower',
  'detach',
  'remove',
  'hasCapacity',
] as const;
const outcomes: readonly Outcome<never>[] = [
  { kind: 'continue', afterMs: 10_000 },
  { kind: 'continue', afterMs: 10_000, hasStarted: true },
  { kind: 'failed', message: 'it broke' },
  { kind: 'busy', afterMs: 5000, message: 'somebody works on it' },
  { kind: 'unregistered' },
  { kind: 'needs-image' },
  { kind: 'unavailable', message: 'down', afterMs: 30_000 },
];
const image = { url: 'http://images.example/a.qcow2', checksum: 'abc' };
const bios = { component: 'bios', url: 'http://files/bios-2.bin' };
const bmc = { component: 'bmc', url: 'http://files/bmc-3.bin' };
const specs: readonly Partial<BareMetalHostSpec>[] = [
  { image },
  { image: { ...image, url: 'http://images.example/b.qcow2' } },
  { image: undefined as never },
  { online: false },
  { online: true },
  { externallyProvisioned: true },
  { externallyProvisioned: false },
  { rootDeviceHints: { wwn: 'x' } },
  { inspectionMode: 'disabled' },
  { inspectionMode: 'agent' },
  { customDeploy: { method: 'install' } },
];
const noBmc = undefined as never;
const annotated = [
  'baremetalhost.metal3.io/detached',
  'baremetalhost.metal3.io/paused',
  'inspect.metal3.io',
  'reboot.metal3.io',
  'reboot.metal3.io/x',
] as const;

const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('answer' as const),
      method: fc.constantFrom(...methods),
      outcome: fc.constantFrom(...outcomes),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('edit' as const), spec: fc.constantFrom(...specs) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('annotate' as const),
      name: fc.constantFrom(...annotated),
      value: fc.constantFrom(undefined, '', '{"force":true}', '{"mode":"hard"}'),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('round' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('forget' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('policy' as const), spec: fc.constantFrom(undefined, {}, allowAll) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('wish' as const),
      settings: fc.constantFrom({}, { AssetTag: 'b' }, { AssetTag: 'c', QuietBoot: 'false' }),
      updates: fc.subarray([bios, bmc]),
      isCaughtUp: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('secret' as const), isThere: fc.boolean() }) },
);

function check(played: PlayedHost): void {
  const { host, stored } = played;
  for (const status of stored.splice(0)) {
    const { errors } = judge(validator, {
      object: { ...host, status } as never,
      old: host as never,
      isStatusWrite: true,
    });
    assert.deepEqual(errors, [], 'every status that is written is one that the API takes');
    const isInError = status.operationalStatus === 'error';
    assert.ok(!isInError || status.errorType !== undefined, 'an error says what it is');
  }
}

type WalkStep = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function take(played: PlayedHost, each: WalkStep, good: PlayedHost['secret']): Promise<void> {
  switch (each.kind) {
    case 'answer':
      return played.provisioners.answer(each.method, each.outcome);
    case 'edit':
      return played.edit(each.spec);
    case 'annotate':
      return played.annotate({ [each.name]: each.value });
    case 'secret':
      played.secret = each.isThere ? good : { kind: 'missing' };
      return;
    case 'forget':
      return played.forget();
    case 'policy':
      played.updatePolicy = each.spec === undefined ? undefined : policyOf(each.spec);
      return;
    case 'wish': {
      const has = played.provisioners.machine('h1').settings;
      const made = (played.firmwareComponents?.status?.updates ?? []).map(({ component, url }) => ({ component, url }));
      played.firmwareSettings = settingsOf(each.settings, has, { seenGeneration: each.isCaughtUp ? 2 : 1 });
      played.firmwareComponents = componentsOf(each.updates, made);
      return;
    }
    case 'round':
      played.clock.advance(1000);
      await played.round();
  }
}

/** A new host, or one in use; its companions catch up whenever they are read. */
function walker(isInUse: boolean): PlayedHost {
  return follow(playHost(isInUse ? { status: statusIn('provisioned', deployed()), spec: { image } } : {}));
}

function follow(played: PlayedHost): PlayedHost {
  played.onRefresh = () => {
    const { firmwareSettings, firmwareComponents } = played;
    const has = played.provisioners.machine('h1').settings;
    if (firmwareSettings !== undefined)
      played.firmwareSettings = settingsOf(firmwareSettings.spec?.settings ?? {}, has);
    const made = firmwareComponents?.status?.updates ?? [];
    if (firmwareComponents !== undefined) {
      played.firmwareComponents = componentsOf(firmwareComponents.spec?.updates ?? [], made);
    }
  };
  return played;
}

test('whatever happens to a host, its rounds end, its status is valid, and it can be deleted in the end', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), fc.boolean(), async (steps, isInUse) => {
      const played = walker(isInUse);
      const good = played.secret;
      for (const each of steps) {
        await take(played, each, good);
        check(played);
      }
      played.secret = good;
      played.annotate(Object.fromEntries(annotated.map((name) => [name, undefined])));
      played.delete();
      for (let round = 0; round < 60 && played.host.metadata.finalizers?.length !== 0; round++) await played.round();
      assert.deepEqual(played.host.metadata.finalizers, [], `it stays in ${played.state}`);
      check(played);
    }),
    { numRuns: 300 },
  );
});

/** What says how its BMC is reached, and whether discovery made it. */
const bmcStep = fc.oneof(
  fc.record({ kind: fc.constant('edit' as const), spec: fc.constantFrom({ bmc: bmcDetails }, { bmc: noBmc }) }),
  fc.record({ kind: fc.constant('rival' as const), rival: fc.constantFrom(undefined, 'fleet/other') }),
);
const needBmc = ['register', 'inspect', 'setPower', 'service', 'attachDataImage', 'detachDataImage'];

test('whatever happens to a host that discovery made, nothing that needs its BMC is asked for without, and it can be deleted', async () => {
  const walk = fc.array(fc.oneof({ weight: 4, arbitrary: step }, { weight: 1, arbitrary: bmcStep }), { maxLength: 25 });
  await fc.assert(
    fc.asyncProperty(walk, async (steps) => {
      const played = follow(playHost(discovered()));
      const good = played.secret;
      for (const each of steps) {
        const before = played.provisioners.calls.length;
        if (each.kind === 'rival') played.rival = played.status.provisioning.ID === '' ? each.rival : undefined;
        else await take(played, each as WalkStep, good);
        checkReach(played, before);
        check(played);
      }
      played.secret = good;
      played.annotate(Object.fromEntries(annotated.map((name) => [name, undefined])));
      played.delete();
      const before = played.provisioners.calls.length;
      for (let round = 0; round < 60 && played.host.metadata.finalizers?.length !== 0; round++) await played.round();
      assert.deepEqual(played.host.metadata.finalizers, [], `it stays in ${played.state}`);
      checkReach(played, before);
      check(played);
    }),
    { numRuns: 300 },
  );
});

/** Who has no BMC is asked for nothing that needs one, and nobody is told of the machine of another. */
function checkReach({ provisioners, rival }: PlayedHost, before: number): void {
  for (const { method, identity } of provisioners.calls.slice(before)) {
    if (identity.bmc === undefined) assert.ok(!needBmc.includes(method), `${method} without a BMC`);
    if (rival !== undefined && method !== 'hasCapacity') assert.notEqual(identity.id, discoveredId, method);
  }
}

test('whatever happens to a host in use, it is serviced only as its policy and its owner want, and comes to rest as OK', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const played = walker(true);
      const good = played.secret;
      for (const each of steps) {
        const before = played.provisioners.calls.length;
        await take(played, each, good);
        checkServices(played, before);
      }
      played.secret = good;
      played.annotate(Object.fromEntries(annotated.map((name) => [name, undefined])));
      played.edit({ image, online: true, externallyProvisioned: undefined as never, customDeploy: undefined as never });
      played.updatePolicy = undefined;
      for (let round = 0; round < 60; round++) {
        played.clock.advance(600_000);
        await played.round();
      }
      const { operationHistory, operationalStatus } = played.status;
      const { start = null, end = null } = operationHistory?.service ?? {};
      assert.ok(start === null || end !== null, 'a live update never ended');
      assert.notEqual(operationalStatus, 'servicing');
      assert.notEqual(played.status.errorType, 'servicing error');
    }),
    { numRuns: 300 },
  );
});

/** What was ordered in one step is what was allowed then, of a host whose stored status said so. */
function checkServices(played: PlayedHost, before: number): void {
  const { firmwareSettings = 'onPreparing', firmwareUpdates = 'onPreparing' } = played.updatePolicy?.spec ?? {};
  const begun = played.stored.map(({ operationHistory }) => operationHistory?.service?.start ?? '');
  for (const { method, order } of played.provisioners.calls.slice(before)) {
    if (method !== 'service') continue;
    const { ticket, settings, updates } = order as Servicing;
    assert.ok(begun.includes(ticket), 'it was not stored that it begins');
    assert.ok(settings === undefined || firmwareSettings === 'onReboot');
    assert.ok(updates === undefined || firmwareUpdates === 'onReboot');
  }
}

test('a host is written to only while its stored status says so', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const played = playHost();
      const told: string[] = [];
      const { of } = played.provisioners;
      Object.assign(played.provisioners, {
        of: (identity: Parameters<typeof of>[0]) => ({
          ...of(identity),
          async provision() {
            told.push(played.state);
            return { kind: 'done', value: undefined };
          },
        }),
      });
      for (const each of steps) {
        if (each.kind === 'edit') played.edit(each.spec);
        else if (each.kind === 'round') await played.round();
      }
      assert.deepEqual(
        told.filter((state) => state !== 'provisioning'),
        [],
      );
    }),
    { numRuns: 150 },
  );
});

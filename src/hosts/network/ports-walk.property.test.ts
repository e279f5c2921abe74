import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { type BareMetalHostSpec, bareMetalHost, judge, validatorOf } from '../../api/index.ts';
import type { Outcome } from '../../provisioners/index.ts';
import { type PlayedHost, playHost } from '../testing/played-host.ts';
import { type PlayedPorts, playPorts, plugged } from '../testing/played-ports.ts';

const validator = validatorOf(bareMetalHost, 'v1alpha1');
const image = { url: 'http://images.example/a.qcow2', checksum: 'abc' };
const one = plugged('leaf-1', '52:54:00:aa:00:07');
const { configuration: _, ...bare } = plugged('leaf-2', '52:54:00:aa:00:08');
const specs: readonly Partial<BareMetalHostSpec>[] = [
  { image },
  { image: undefined as never },
  { externallyProvisioned: true },
  { externallyProvisioned: false },
  { ports: [one] },
  { ports: [one, bare] },
  { ports: undefined as never },
];
const outcomes: readonly Outcome<never>[] = [
  { kind: 'continue', afterMs: 10_000, hasStarted: true },
  { kind: 'failed', message: 'it broke' },
];
const methods = ['inspect', 'prepare', 'provision', 'deprovision', 'adopt'] as const;

const step = fc.oneof(
  { weight: 5, arbitrary: fc.constant({ kind: 'round' as const }) },
  { weight: 3, arbitrary: fc.constant({ kind: 'settle' as const }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('edit' as const), spec: fc.constantFrom(...specs) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('fail' as const), port: fc.constantFrom('leaf-1', 'leaf-2') }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('answer' as const),
      method: fc.constantFrom(...methods),
      outcome: fc.constantFrom(...outcomes),
    }),
  },
);

function check({ host, stored }: PlayedHost): void {
  for (const status of stored.splice(0)) {
    const { errors } = judge(validator, {
      object: { ...host, status } as never,
      old: host as never,
      isStatusWrite: true,
    });
    assert.deepEqual(errors, []);
  }
}

/** Notes down inspections that begin while a host with ports is not on its network for provisioning. */
function watchInspections(played: PlayedHost, ports: PlayedPorts): string[] {
  const early: string[] = [];
  const { of } = played.provisioners;
  Object.assign(played.provisioners, {
    of(identity: Parameters<typeof of>[0]) {
      const provisioner = of(identity);
      const inspect: typeof provisioner.inspect = (order) => {
        // One that goes on was begun in an earlier round.
        const isBegun = played.state === 'inspecting';
        const hasPorts = (played.host.spec?.ports ?? []).length > 0;
        if (!isBegun && hasPorts && !ports.isSettledOn('leaf-1', 'pxe')) early.push(`began in ${played.state}`);
        return provisioner.inspect(order);
      };
      return { ...provisioner, inspect };
    },
  });
  return early;
}

test('whatever happens to a host and its ports, rounds end, no inspection begins off its network, and it can go', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const ports = playPorts('leaf-1', 'leaf-2');
      const played = playHost({ spec: { ports: [one] } });
      played.network = ports;
      const early = watchInspections(played, ports);
      for (const each of steps) {
        if (each.kind === 'round') await played.round();
        else if (each.kind === 'settle') ports.settle();
        else if (each.kind === 'edit') played.edit(each.spec);
        else if (each.kind === 'fail') ports.fail(each.port, 'no route to host');
        else played.provisioners.answer(each.method, each.outcome);
        check(played);
      }
      played.delete();
      for (let round = 0; round < 60 && played.host.metadata.finalizers?.length !== 0; round++) {
        await played.round();
        ports.settle();
      }
      assert.deepEqual(played.host.metadata.finalizers, [], `it stays in ${played.state}`);
      assert.deepEqual(early, []);
      const isPlugged = (played.host.spec?.ports ?? []).length > 0;
      if (isPlugged) assert.ok(ports.isSettledOn('leaf-1', undefined), 'its port is clean');
    }),
    { numRuns: 300 },
  );
});

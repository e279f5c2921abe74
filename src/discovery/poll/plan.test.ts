import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BareMetalHostDiscoverySpec } from '../../api/index.ts';
import { discoveryNote } from '../../hosts/index.ts';
import type { KnownMachine, MachineDetails } from '../../provisioners/index.ts';
import { aDiscovery } from '../testing/rig.ts';
import { macOf } from '../testing/scripted-source.ts';
import { allowanceOf, planHosts } from './plan-hosts.ts';
import { sortMachines } from './sort-machines.ts';
import { refill, untilNextMs } from './token-bucket.ts';

const nobody = { isKnown: () => false, listing: () => undefined };
const spec: BareMetalHostDiscoverySpec = { resourceNameTemplate: { hardwareDetails: 'hostname' } };

function machine(id: string, bootMac: string, more: Partial<KnownMachine> = {}): KnownMachine {
  return { id, bootMac, macs: [bootMac], isAutoDiscovered: true, ...more };
}

describe('machines of a source', () => {
  it('are refused, both of them, where they share a MAC', () => {
    const one = machine('a', macOf(1), { macs: [macOf(1), macOf(9)] });
    const { refused, candidates } = sortMachines([[one, machine('b', macOf(9)), machine('c', macOf(3))]], spec, nobody);
    assert.deepEqual(
      refused.map(({ id, reason }) => [id, reason]),
      [
        ['a', 'MACConflict'],
        ['b', 'MACConflict'],
      ],
    );
    assert.deepEqual(
      candidates.map(({ id }) => id),
      ['c'],
    );
  });

  it('are others where they share a MAC that neither boots from', () => {
    const shared = macOf(77);
    const one = machine('a', macOf(1), { macs: [macOf(1), shared] });
    const other = machine('b', macOf(2), { macs: [macOf(2), shared] });
    assert.equal(sortMachines([[one, other]], spec, nobody).candidates.length, 2);
  });

  it('are left alone where a host has one of their MACs, whoever else claims it', () => {
    const isKnown = ({ macs }: { readonly macs: readonly string[] }) => macs.includes(macOf(1));
    const sorted = sortMachines([[machine('a', macOf(1)), machine('b', macOf(1).toUpperCase())]], spec, {
      ...nobody,
      isKnown,
    });
    assert.deepEqual([sorted.known, sorted.refused.length, sorted.candidates.length], [2, 0, 0]);
  });

  it('are refused, not passed over, where a host that boots from another MAC lists theirs', () => {
    const listing = (mac: string) => (mac === macOf(1) ? 'fleet/liar' : undefined);
    const { known, refused, candidates } = sortMachines([[machine('a', macOf(1)), machine('b', macOf(2))]], spec, {
      ...nobody,
      listing,
    });
    assert.deepEqual([known, candidates.map(({ id }) => id)], [0, ['b']]);
    assert.deepEqual(
      refused.map(({ id, reason }) => [id, reason]),
      [['a', 'MACConflict']],
    );
    assert.match(refused[0]?.message ?? '', /fleet\/liar says that .* is one of its NICs/);
  });

  it('are in the order in which they came, those that came at once by id', () => {
    const arrivals = new Map([
      ['a', 30],
      ['b', 10],
      ['c', 10],
    ]);
    const machines = ['c', 'b', 'a'].map((id, index) => machine(id, macOf(index + 1)));
    assert.deepEqual(
      sortMachines([machines], spec, nobody, arrivals).candidates.map(({ id }) => id),
      ['b', 'c', 'a'],
    );
  });

  it('are refused where they boot from no MAC', () => {
    const { refused } = sortMachines(
      [[machine('a', ''), machine('b', 'x'.repeat(1e6)), machine('c', '00:00:00:00:00:00')]],
      spec,
      nobody,
    );
    assert.deepEqual(
      refused.map(({ reason }) => reason),
      ['MACInvalid', 'MACInvalid', 'MACInvalid'],
    );
    assert.ok(refused.every(({ message }) => message.length < 200));
  });

  it('count once where two sources know them', () => {
    const { candidates, refused } = sortMachines([[machine('z', macOf(1))], [machine('a', macOf(1))]], spec, nobody);
    assert.deepEqual(
      candidates.map(({ id, source }) => [id, source]),
      [['z', 0]],
    );
    assert.deepEqual(refused, []);
  });

  it('are ignored by their MAC, or where they did not come by themselves', () => {
    const machines = [machine('a', macOf(1), { isAutoDiscovered: false }), machine('b', macOf(2))];
    const asked = { ...spec, ignoredMACAddresses: [macOf(2).toUpperCase()] };
    for (const more of [{}, { onlyAutoDiscovered: true }]) {
      const sorted = sortMachines([machines], { ...asked, ...more }, nobody);
      assert.deepEqual([sorted.ignored, sorted.candidates.length], [2, 0]);
    }
  });

  it('are taken though somebody registered them where that is asked for, but never where somebody has them', () => {
    const byHand = { isAutoDiscovered: false } as const;
    const machines = [machine('a', macOf(1), byHand), machine('b', macOf(2), { ...byHand, isClaimed: true })];
    const { ignored, candidates } = sortMachines([machines], { ...spec, onlyAutoDiscovered: false }, nobody);
    assert.deepEqual([ignored, candidates.map(({ id }) => id)], [1, ['a']]);
  });
});

describe('the plan of hosts', () => {
  const told = (id: string, details: Partial<MachineDetails> | undefined, number = 1) => ({
    machine: { id, bootMac: macOf(number), macs: [macOf(number)], source: 0, arrivedMs: number },
    details: details === undefined ? undefined : { hardware: {}, ...details },
  });
  const free = { isNameTaken: () => false, allowance: { hosts: Number.POSITIVE_INFINITY, by: 'rate' as const } };
  const planned = (plan: ReturnType<typeof planHosts>) => plan.hosts.map(({ host }) => host.metadata.name);

  it('gives a name to one machine only, also where names become the same by cleaning', () => {
    const plan = planHosts(aDiscovery('d'), [told('a', { hostname: 'N_1' }), told('b', { hostname: 'n-1' }, 2)], free);
    assert.deepEqual(planned(plan), ['n-1']);
    assert.deepEqual(
      plan.refused.map(({ id, reason }) => [id, reason]),
      [['b', 'NameConflict']],
    );
  });

  it('gives a name to the machine that came first, whatever its id and whether it may have its host now', () => {
    const early = told('z', { hostname: 'n' }, 1);
    const late = told('a', { hostname: 'n' }, 2);
    const held = { ...free, allowance: { hosts: 0, by: 'rate' as const } };
    const first = planHosts(aDiscovery('d'), [early, late], held);
    assert.deepEqual([first.throttled, first.refused.map(({ id }) => id)], [1, ['a']]);
    assert.match(first.refused[0]?.message ?? '', /The machine z is named n too, and came first/);
    assert.deepEqual([...first.names], [['n', 'z']]);
    // Not among those that are asked in the next poll.
    const names = new Map([['n', early.machine]]);
    assert.deepEqual(planned(planHosts(aDiscovery('d'), [late], { ...free, names })), []);
    assert.deepEqual(planned(planHosts(aDiscovery('d'), [early], { ...free, names })), ['n']);
    const { hosts } = planHosts(aDiscovery('d'), [early], { ...free, names: new Map([['n', late.machine]]) });
    assert.deepEqual(
      hosts.map(({ machine: { id } }) => id),
      ['z'],
    );
  });

  it('takes no name away from a host that is there', () => {
    const plan = planHosts(aDiscovery('d'), [told('a', { hostname: 'n1' })], { ...free, isNameTaken: () => true });
    assert.deepEqual(planned(plan), []);
    assert.match(plan.refused[0]?.message ?? '', /n1 is there already/);
  });

  it('makes hosts of machines that have told nothing about their hardware, where the name needs none of it', () => {
    const object = aDiscovery('d', { resourceNameTemplate: { hardwareDetails: 'boot-mac' } });
    assert.deepEqual(planned(planHosts(object, [told('a', {})], free)), ['52-54-00-00-00-01']);
  });

  it('gives no host an annotation that tells it what to do, but the one that pauses it', () => {
    const paused = { 'baremetalhost.metal3.io/paused': 'quarantine' };
    const annotations = { a: 'b', ...paused, 'baremetalhost.metal3.io/status': '{}', 'reboot.metal3.io/x': '' };
    const { hosts } = planHosts(aDiscovery('d', { annotations }), [told('a', { hostname: 'n1' })], free);
    const { [discoveryNote]: _, ...given } = hosts[0]?.host.metadata.annotations ?? {};
    assert.deepEqual(given, { a: 'b', ...paused });
  });

  it('waits for machines that have told nothing at all', () => {
    assert.equal(planHosts(aDiscovery('d'), [told('a', undefined)], free).untold, 1);
  });

  it('refuses details that are too large, or are none', () => {
    const object = aDiscovery('d', { resourceNameTemplate: { hardwareDetails: 'boot-mac' } });
    const large = told('a', { hardware: { hostname: 'x'.repeat(2 ** 20) } });
    const wrong = told('b', { hardware: { ramMebibytes: 'much' } as never }, 2);
    const { refused } = planHosts(object, [large, wrong], free);
    assert.deepEqual(
      refused.map(({ reason }) => reason),
      ['DetailsTooLarge', 'DetailsInvalid'],
    );
    assert.ok(refused.every(({ message }) => message.length < 400));
  });

  it('holds back what the rate limit does not let in, and refuses do not count', () => {
    const machines = [told('a', {}), told('b', { hostname: 'b' }, 2), told('c', { hostname: 'c' }, 3)];
    const plan = planHosts(aDiscovery('d'), machines, { ...free, allowance: { hosts: 1, by: 'rate' } });
    assert.deepEqual([planned(plan), plan.throttled, plan.refused.length], [['b'], 1, 1]);
  });

  it('leaves out what the hardware selector does', () => {
    const object = aDiscovery('d', { hardwareSelector: { cpu: { minimumCount: 8 } } });
    const machines = [
      told('a', { hostname: 'a', hardware: { cpu: { count: 8 } } }),
      told('b', { hostname: 'b', hardware: { cpu: { count: 4 } } }, 2),
      told('c', { hostname: 'c' }, 3),
    ];
    const plan = planHosts(object, machines, free);
    assert.deepEqual([planned(plan), plan.unselected], [['a'], 2]);
  });
});

describe('the rate limit', () => {
  it('lets a burst in and then so many a minute', () => {
    const limit = { hostsPerMinute: 30, burst: 5 };
    const full = refill(limit, undefined, 0);
    assert.equal(full.left, 5);
    assert.equal(untilNextMs(limit, { ...full, left: 0 }), 2000);
    assert.equal(refill(limit, { left: 0, atMs: 0 }, 2000).left, 1);
    assert.equal(refill(limit, { left: 0, atMs: 0 }, 3_600_000).left, 5);
  });

  it('lets a hall in at once and no flood, unless told otherwise', () => {
    assert.equal(refill(undefined, undefined, 0).left, 1000);
    assert.equal(refill(undefined, { left: 0, atMs: 0 }, 60_000).left, 120);
    assert.equal(untilNextMs(undefined, { left: 0, atMs: 0 }), 500);
  });

  it('gives way to how many hosts nobody uses, where that lets fewer in', () => {
    assert.deepEqual(allowanceOf(spec, { tokens: 10.9, unused: 0 }), { hosts: 10, by: 'rate' });
    assert.deepEqual(allowanceOf(spec, { tokens: 1000, unused: 1995 }), { hosts: 5, by: 'unused' });
    assert.deepEqual(allowanceOf({ ...spec, maxUnusedHosts: 3 }, { tokens: 9, unused: 8 }), { hosts: 0, by: 'unused' });
  });
});

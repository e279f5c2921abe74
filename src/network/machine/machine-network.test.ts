import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fc } from '#fast-check';
import { type BareMetalHost, type HostPort, metal3ApiVersion, type Nic } from '../../api/index.ts';
import type { WhyNot } from './explain-need.ts';
import { configureNetwork, deconfigureNetwork, filter } from './machine-network.ts';
import { isSmartNic, matchNics, type NetworkNeed } from './match-nics.ts';

const macOf = (at: number): string => `52:54:00:00:00:0${at}`;

function hostWith(ports: readonly Partial<HostPort>[], nics: readonly Nic[]): BareMetalHost {
  return {
    apiVersion: metal3ApiVersion,
    kind: 'BareMetalHost',
    metadata: { name: 'h1', namespace: 'tenant' },
    spec: {
      online: true,
      ports: ports.map((port, at) => ({ mac: macOf(at), port: { name: `p${at}`, namespace: 'infra' }, ...port })),
    },
    status: { hardware: { nics: [...nics] } } as NonNullable<BareMetalHost['status']>,
  };
}

const eth = (at: number, more: Nic = {}): Nic => ({ name: `eth${at}`, mac: macOf(at).toUpperCase(), ...more });
const need = (name: string, nicHint?: NetworkNeed['nicHint']): NetworkNeed => ({
  ConfigurationRef: { name },
  ...(nicHint === undefined ? {} : { nicHint }),
});
const linksOf = (ports: readonly HostPort[] | undefined) =>
  ports?.map(({ configuration }) => configuration?.name ?? '-').join(' ');

describe('the hosts for a machine', () => {
  test('are those with an interface for each configuration', () => {
    const two = hostWith([{}, {}], [eth(0), eth(1)]);
    const one = hostWith([{}], [eth(0), eth(1)]);
    const networkConfiguration = [need('a'), need('b')];
    assert.deepEqual(filter([one, two], { networkConfiguration }), [two]);
    assert.deepEqual(filter([one, two], {}), [one, two]);
  });

  test('have the interface that the hint names, as inspection called it', () => {
    const host = hostWith([{}, {}], [eth(0), eth(1)]);
    assert.equal(filter([host], { networkConfiguration: [need('a', { name: 'eth1' })] }).length, 1);
    assert.equal(filter([host], { networkConfiguration: [need('a', { name: 'eth7' })] }).length, 0);
    assert.equal(filter([hostWith([{}], [])], { networkConfiguration: [need('a')] }).length, 0, 'not inspected yet');
  });

  test('have a smart NIC where one is asked for', () => {
    const host = hostWith([{}, {}], [eth(0, { model: '0x8086 0x1572' }), eth(1, { model: '0x15b3 0xa2d6' })]);
    const asked = { networkConfiguration: [need('a', { smartNIC: true })] };
    const wanted = configureNetwork(host, asked);
    assert.equal(wanted.kind === 'fits' && linksOf(wanted.ports), '- a');
    assert.equal(filter([hostWith([{}], [eth(0, { model: '0x15b3 0x1017' })])], asked).length, 0);
    assert.equal(configureNetwork(host, { networkConfiguration: [need('a', { smartNIC: false })] }).kind, 'fits');
    for (const model of ['0x1dd8 0x1002', 'NVIDIA BlueField-2 DPU']) assert.ok(isSmartNic({ model }), model);
    for (const model of ['0x8086 0x1592', 'Broadcom BCM57416', undefined])
      assert.ok(!isSmartNic(model === undefined ? {} : { model }), model);
  });

  test('are asked whether their ports can take it', () => {
    const host = hostWith([{}, {}], [eth(0), eth(1)]);
    const whyNot = ({ port }: HostPort) => (port.name === 'p1' ? undefined : 'the port is full');
    const wanted = configureNetwork(host, { networkConfiguration: [need('a')], whyNot });
    assert.equal(wanted.kind === 'fits' && linksOf(wanted.ports), '- a');
    assert.equal(filter([host], { networkConfiguration: [need('a'), need('b')], whyNot }).length, 0);
  });
});

describe('the ports of the host of a machine', () => {
  test('get its configurations, in its namespace, and keep what else they have', () => {
    const provisioningConfiguration = { name: 'pxe', namespace: 'infra' };
    const host = hostWith([{ provisioningConfiguration }, {}], [eth(0), eth(1)]);
    const wanted = configureNetwork(host, { networkConfiguration: [need('a', { name: 'eth1' }), need('b')] });
    assert.equal(wanted.kind === 'fits' && linksOf(wanted.ports), 'b a');
    assert.deepEqual(wanted.kind === 'fits' && wanted.ports?.[0], {
      ...host.spec?.ports?.[0],
      configuration: { name: 'b', namespace: 'tenant' },
    });
  });

  test('are not written again, and stay where they are when the order of the list changes', () => {
    const host = hostWith([{ configuration: { name: 'b' } }, { configuration: { name: 'a' } }], [eth(0), eth(1)]);
    const lists = [[need('a'), need('b')], [need('b'), need('a')], [need('b'), need('a'), need('c')].slice(0, 2)];
    for (const networkConfiguration of lists) {
      assert.deepEqual(configureNetwork(host, { networkConfiguration }), { kind: 'fits', ports: undefined });
    }
  });

  test('that cannot be had are said to be missing, by name and hint', () => {
    const host = hostWith([{}], [eth(0)]);
    const wanted = configureNetwork(host, { networkConfiguration: [need('a', { name: 'eth3', smartNIC: true })] });
    assert.ok(wanted.kind === 'unfit');
    assert.match(
      wanted.message,
      /h1 has no interface in spec\.ports for each of: a \(eth3, a smart NIC\): inspection found no such interface$/,
    );
  });

  test('lose all configurations when the machine goes, and nothing else', () => {
    const provisioningConfiguration = { name: 'pxe', namespace: 'infra' };
    const bare = hostWith([{ provisioningConfiguration }, {}], [eth(0), eth(1)]);
    const wanted = configureNetwork(bare, { networkConfiguration: [need('a'), need('b')] });
    assert.ok(wanted.kind === 'fits' && wanted.ports !== undefined);
    const used = { ...bare, spec: { online: true, ports: [...wanted.ports] } };
    assert.deepEqual(deconfigureNetwork(used), bare.spec?.ports);
    assert.equal(deconfigureNetwork(bare), undefined);
    assert.equal(linksOf(deconfigureNetwork(used, [macOf(1)])), 'b -');
    assert.equal(deconfigureNetwork(used, []), undefined);
  });
});

/** Every way of giving needs different ports, tried one after the other. */
function canAll(needs: readonly (readonly number[])[], taken: readonly number[] = []): boolean {
  const [first, ...rest] = needs;
  if (first === undefined) return true;
  return first.some((port) => !taken.includes(port) && canAll(rest, [...taken, port]));
}

test('a way is found whenever there is one, and writing it once is enough', () => {
  const shape = fc.array(fc.uniqueArray(fc.nat(4), { maxLength: 5 }), { maxLength: 5 });
  fc.assert(
    fc.property(shape, (choices) => {
      const all = [0, 1, 2, 3, 4];
      const host = hostWith(
        all.map(() => ({})),
        all.map((at) => eth(at)),
      );
      const needs = choices.map((_, at) => need(`n${at}`));
      const canTake = ({ port }: HostPort, { ConfigurationRef: link }: NetworkNeed) =>
        choices[Number(link.name.slice(1))]?.includes(Number(port.name.slice(1))) ?? false;
      const found = matchNics(host, needs, canTake);
      assert.equal(found !== undefined, canAll(choices));
      const whyNot: WhyNot = (...given) => (canTake(...given) ? undefined : 'no');
      const machine = { networkConfiguration: needs, whyNot };
      const wanted = configureNetwork(host, machine);
      if (wanted.kind === 'unfit' || wanted.ports === undefined) return;
      assert.equal(new Set([...(found?.values() ?? [])]).size, needs.length);
      const written = { ...host, spec: { online: true, ports: [...wanted.ports] } };
      assert.deepEqual(configureNetwork(written, machine), { kind: 'fits', ports: undefined });
    }),
    { numRuns: 300 },
  );
});

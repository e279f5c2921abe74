import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Alias } from '../machine.ts';
import { isMatch } from './match-names.ts';

const address = (value: string): Alias => ({ kind: 'bmc-address', value });
const serial: Alias = { kind: 'serial', value: 'SN7' };
const mac = (value: string): Alias => ({ kind: 'mac', value });
const id: Alias = { kind: 'machine-id', value: 'm' };
const [one, two] = ['1', '2'].map((each) => address(`https://10.0.0.7/redfish/v1/Systems/${each}`)) as [Alias, Alias];
const other = address('https://10.0.0.8');

type Case = readonly [what: string, names: readonly Alias[], aliases: readonly Alias[]];
const same: readonly Case[] = [
  ['its system', [one], [one]],
  ['an address without a system', [one, serial], [address('10.0.0.7')]],
  ['its id at another address', [id, one], [other]],
  ['a MAC in any spelling', [one, mac('B0:00:00:00:00:01')], [other, mac('b0:00:00:00:00:01')]],
  ['a serial number, where MACs are not known', [one, serial], [other, serial]],
  ['a serial number and one of its MACs', [serial, mac('b0::1'), mac('b0::2')], [serial, mac('b0::2'), mac('b0::3')]],
];
const apart: readonly Case[] = [
  ['nothing in common', [one, serial], [other]],
  [
    'another system of its BMC, whatever else is the same',
    [id, one, serial, mac('b0::1')],
    [two, serial, mac('b0::1')],
  ],
  ['a serial number alone, where MACs are known', [one, serial, mac('b0::1')], [other, serial, mac('b0::2')]],
];

for (const [what, names, aliases] of same) {
  test(`names mean a machine by ${what}`, () =>
    assert.equal(isMatch(names, { id: 'm', aliases }, { isOtherKnown: false }), true));
}

for (const [what, names, aliases] of apart) {
  test(`names do not mean a machine with ${what}`, () =>
    assert.equal(isMatch(names, { id: 'm', aliases }, { isOtherKnown: false }), false));
}

test('where the id is that of another machine, only an address still means this one', () => {
  const names: readonly Alias[] = [{ kind: 'machine-id', value: 'n' }, one, serial, mac('b0::1')];
  const isMeant = (aliases: readonly Alias[]) => isMatch(names, { id: 'm', aliases }, { isOtherKnown: true });
  assert.deepEqual([isMeant([other, serial, mac('b0::1')]), isMeant([one])], [false, true]);
});

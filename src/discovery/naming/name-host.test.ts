import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fc } from '#fast-check';
import { namingDetails, type ResourceNameTemplate } from '../../api/index.ts';
import type { MachineDetails } from '../../provisioners/index.ts';
import { readMac } from './mac.ts';
import { nameHost } from './name-host.ts';

const id = '3f2a91c0-1111-4000-8000-0000000000ab';
const details: MachineDetails = {
  hardware: { nics: [{ mac: '52:54:00:00:00:01' }, { ip: '192.0.2.7' }], systemVendor: { serialNumber: 'SN-7/A' } },
  hostname: 'the-host-name',
};

function named(template: ResourceNameTemplate, more: Partial<MachineDetails> = {}, machineId = id) {
  return nameHost(template, { id: machineId, bootMac: '52:54:00:aa:00:01', details: { ...details, ...more } });
}

describe('the name of a discovered host', () => {
  it('is made of prefix, detail and suffix', () => {
    const template = { prefix: 'string-literal1-', suffix: '-string-literal2', hardwareDetails: 'hostname' } as const;
    assert.deepEqual(named(template), { name: 'string-literal1-the-host-name-string-literal2' });
  });

  const cases: readonly [ResourceNameTemplate, Partial<MachineDetails>, string][] = [
    [{ hardwareDetails: 'ip' }, {}, '192-0-2-7'],
    [{ hardwareDetails: 'ip' }, { ip: '198.51.100.3' }, '198-51-100-3'],
    [{ hardwareDetails: 'ip' }, { ip: 'fe80::1' }, 'fe80--1'],
    [{ hardwareDetails: 'serial-number' }, {}, 'sn-7-a'],
    [{ hardwareDetails: 'serial-number' }, { serialNumber: '  X_9  ' }, 'x-9'],
    [{ hardwareDetails: 'boot-mac' }, {}, '52-54-00-aa-00-01'],
    [{ hardwareDetails: 'provisioning-id', prefix: 'node-' }, {}, `node-${id}`],
    [{ hardwareDetails: 'hostname' }, { hostname: 'Web_01.Example.COM.' }, 'web-01.example.com'],
    [{ hardwareDetails: 'hostname' }, { hostname: '-..-a--b-.-.c' }, 'a--b.c'],
    [{ hardwareDetails: 'hostname' }, { hostname: 'höst' }, 'h-st'],
  ];
  for (const [template, more, name] of cases) {
    it(`is ${name} by ${template.hardwareDetails}`, () => assert.deepEqual(named(template, more), { name }));
  }

  it('is never an id alone, which hosts must not be named', () => {
    assert.deepEqual(named({ hardwareDetails: 'provisioning-id' }), { name: `host-${id}` });
    assert.deepEqual(named({ hardwareDetails: 'hostname' }, { hostname: id.toUpperCase() }), { name: `host-${id}` });
  });

  const refused: readonly [string, ResourceNameTemplate, Partial<MachineDetails>, string][] = [
    ['nothing was told', { hardwareDetails: 'hostname' }, { hostname: '' }, 'NameUnavailable'],
    ['nothing is left of it', { hardwareDetails: 'hostname' }, { hostname: '???' }, 'NameUnavailable'],
    ['it is a megabyte', { hardwareDetails: 'hostname' }, { hostname: 'a'.repeat(2 ** 20) }, 'NameTooLong'],
    [
      'prefix and detail are too long together',
      { hardwareDetails: 'hostname', prefix: 'p'.repeat(120) },
      { hostname: 'a'.repeat(200) },
      'NameTooLong',
    ],
    ['the prefix fits no name', { hardwareDetails: 'hostname', prefix: 'a-.' }, {}, 'NameInvalid'],
  ];
  for (const [what, template, more, reason] of refused) {
    it(`is refused where ${what}`, () => {
      const naming = named(template, more);
      assert.ok('reason' in naming && naming.reason === reason, JSON.stringify(naming));
      assert.ok(naming.message.length < 400);
    });
  }

  it('is a name or a reason, whatever was told', () => {
    const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.stringMatching(/^[-.a-zA-Z0-9]{0,80}$/));
    fc.assert(
      fc.property(fc.constantFrom(...namingDetails), text, text, (hardwareDetails, told, machineId) => {
        const naming = named({ hardwareDetails }, { hostname: told, ip: told, serialNumber: told }, machineId);
        if (!('name' in naming)) return;
        assert.match(naming.name, /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/);
        assert.ok(naming.name.length <= 253);
      }),
    );
  });
});

describe('a MAC address', () => {
  it('is the same however it is written', () => {
    for (const text of ['52:54:00:AA:00:01', '52-54-00-aa-00-01', '5254.00aa.0001', '525400aa0001']) {
      assert.equal(readMac(text), '52:54:00:aa:00:01');
    }
  });

  it('is none where it cannot tell machines apart', () => {
    for (const text of ['', '52:54:00', '00:00:00:00:00:00', 'ff:ff:ff:ff:ff:ff', 'x'.repeat(1e6), undefined]) {
      assert.equal(readMac(text), undefined);
    }
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bmcSchemes, driverInfoOf, type HostBmcAddress, readBmcAddress } from './index.ts';

function known(text: string): HostBmcAddress {
  const reading = readBmcAddress(text);
  assert.equal(reading.kind, 'known', `${text}: ${'message' in reading ? reading.message : ''}`);
  return reading.kind === 'known' ? reading.address : assert.fail();
}

const access = { address: '', isCertificateUnchecked: false, credentials: { username: 'root', password: 'secret' } };

describe('the address of a BMC', () => {
  const driverOf: readonly (readonly [string, string, string])[] = [
    ['ipmi://10.0.0.7', 'ipmi', 'ipxe'],
    ['10.0.0.7', 'ipmi', 'ipxe'],
    ['bmc.example:624', 'ipmi', 'ipxe'],
    ['libvirt://192.168.122.1:6233', 'ipmi', 'ipxe'],
    ['redfish://10.0.0.7/redfish/v1/Systems/1', 'redfish', 'ipxe'],
    ['redfish:10.0.0.7', 'redfish', 'ipxe'],
    ['redfish+http://10.0.0.7:8000/redfish/v1/Systems/1', 'redfish', 'ipxe'],
    ['ilo5-redfish://10.0.0.7', 'redfish', 'ipxe'],
    ['idrac-redfish+https://10.0.0.7', 'idrac', 'ipxe'],
    ['redfish-virtualmedia://10.0.0.7', 'redfish', 'redfish-virtual-media'],
    ['ilo5-virtualmedia+http://10.0.0.7', 'redfish', 'redfish-virtual-media'],
    ['idrac-virtualmedia://10.0.0.7', 'idrac', 'idrac-redfish-virtual-media'],
    ['redfish-uefihttp://[fd00::7]', 'redfish', 'redfish-https'],
  ];
  for (const [text, driver, boot] of driverOf) {
    it(`${text} is driven by ${driver} and boots by ${boot}`, () => {
      const address = known(text);
      assert.deepEqual([address.driver, address.interfaces.boot], [driver, boot]);
    });
  }

  for (const text of [
    'http://10.0.0.7',
    'ilo4://10.0.0.7',
    'ipmi+https://10.0.0.7',
    'redfish+ftp://10.0.0.7',
    'x://y',
  ]) {
    it(`${text} is of no known type`, () => {
      const reading = readBmcAddress(text);
      assert.equal(reading.kind, 'unknown-type');
      assert.match(reading.kind === 'unknown-type' ? reading.message : '', /^Unknown BMC type '.+' for address /);
    });
  }

  for (const text of [
    'redfish://',
    'redfish://bad host/',
    'ipmi://-x-.example',
    'redfish://10.0.0.7:99999',
    '10.0.0',
  ]) {
    it(`${text} names no host`, () => {
      const reading = readBmcAddress(text);
      assert.equal(reading.kind, 'invalid');
      assert.match(reading.kind === 'invalid' ? reading.message : '', /^failed to parse BMC address information: /);
    });
  }

  it('never shows a password that somebody put into it', () => {
    for (const text of ['redfish://root:hunter2@10.0.0.7', 'foo://root:hunter2@10.0.0.7']) {
      assert.doesNotMatch(JSON.stringify(readBmcAddress(text)), /hunter2/);
    }
  });

  it('means the same machine however it is written', () => {
    const { bmc, system } = known('redfish://BMC7.example/redfish/v1/Systems/1');
    assert.equal(known('idrac-virtualmedia+https://bmc7.example:443/redfish/v1/Systems/1/').system, system);
    const second = known('redfish://bmc7.example/redfish/v1/Systems/2');
    assert.notEqual(second.system, system);
    assert.equal(second.bmc, bmc);
    assert.equal(known('ipmi://10.0.0.7:623').system, known('10.0.0.7').system);
  });

  it('says what a host may ask for', () => {
    const able = Object.entries(bmcSchemes).map(([name, facts]) => [
      name,
      facts.needsMac,
      facts.canSecureBoot,
      facts.canHardwareRaid,
      facts.fastInspectInterface !== undefined,
      facts.canBootIso,
    ]);
    assert.deepEqual(able, [
      ['ipmi', false, false, false, false, false],
      ['libvirt', true, false, false, false, false],
      ['redfish', false, true, true, true, false],
      ['ilo5-redfish', false, true, true, true, false],
      ['idrac-redfish', false, true, true, true, false],
      ['redfish-virtualmedia', false, true, true, true, true],
      ['ilo5-virtualmedia', false, true, true, true, true],
      ['idrac-virtualmedia', false, true, true, true, true],
      ['redfish-uefihttp', false, true, true, true, true],
    ]);
  });
});

describe('what the driver is told', () => {
  it('is where the system of a Redfish service is', () => {
    assert.deepEqual(driverInfoOf(known('redfish+http://10.0.0.7:8000/redfish/v1/Systems/1'), access), {
      redfish_address: 'http://10.0.0.7:8000',
      redfish_username: 'root',
      redfish_password: 'secret',
      redfish_system_id: '/redfish/v1/Systems/1',
    });
  });

  it('leaves the system out when the address names none, and trusts any certificate only when told to', () => {
    const info = driverInfoOf(known('idrac-redfish://10.0.0.7/redfish/v1/'), {
      ...access,
      isCertificateUnchecked: true,
    });
    assert.deepEqual(info, {
      redfish_address: 'https://10.0.0.7',
      redfish_username: 'root',
      redfish_password: 'secret',
      redfish_verify_ca: false,
    });
  });

  it('is port, user and privilege level of IPMI', () => {
    assert.deepEqual(driverInfoOf(known('ipmi://10.0.0.7?privilegelevel=OPERATOR'), access), {
      ipmi_address: '10.0.0.7',
      ipmi_port: '623',
      ipmi_username: 'root',
      ipmi_password: 'secret',
      ipmi_priv_level: 'OPERATOR',
    });
    assert.equal(driverInfoOf(known('[fd00::7]:6230'), access).ipmi_port, '6230');
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addressPairs } from '../../../bmc/index.ts';
import { readBmcAddress } from '../../bmc-address/index.ts';
import type { IronicNode } from '../node/index.ts';
import { isAtAddress } from './find-for-registration.ts';

/** The address of a host; without a scheme it would be of IPMI. */
function hostAddress(text: string) {
  const plain = text.trim();
  const asHost = /^https?:/i.test(plain)
    ? plain.replace(/^https/i, 'redfish').replace(/^http/i, 'redfish+http')
    : /^[a-z][a-z0-9+-]*:(\/\/|\d+\.)/i.test(plain)
      ? plain
      : `redfish://${plain}`;
  const reading = readBmcAddress(asHost);
  return reading.kind === 'known' ? reading.address : assert.fail(JSON.stringify(reading));
}

/** A node as somebody else may have made it: service and system as they were written. */
function nodeAt(text: string): IronicNode {
  const [, service = text, system] = /^(.*?)(\/+redfish\/v1\/+Systems\/.+)$/i.exec(text.trim()) ?? [];
  const metal3 = /^(?:redfish|idrac|ilo5)[a-z-]*(?:\+(https?))?:(?:\/\/)?/i;
  const address = service.trim().replace(metal3, (_, transport = 'https') => `${transport}://`);
  const info = { redfish_address: address, ...(system === undefined ? {} : { redfish_system_id: system }) };
  return { uuid: 'n', raw: { driver: 'redfish', driver_info: info } } as unknown as IronicNode;
}

function ipmiNode(ipmi_address: string, ipmi_port?: number | string): IronicNode {
  return { uuid: 'n', raw: { driver: 'ipmi', driver_info: { ipmi_address, ipmi_port } } } as unknown as IronicNode;
}

describe('a node of Ironic is at the BMC of a host', () => {
  for (const [one, other, relation] of addressPairs) {
    test(`${one} and ${other}: ${relation}`, () => {
      for (const [node, host] of [
        [one, other],
        [other, one],
      ] as const)
        assert.equal(isAtAddress(nodeAt(node), hostAddress(host)), relation === 'same', `${node}, ${host}`);
    });
  }

  for (const [node, host, isSame] of [
    [ipmiNode('10.0.0.7'), 'ipmi://10.0.0.7:623', true],
    [ipmiNode('10.0.0.7', '623'), '10.0.0.7', true],
    [ipmiNode('BMC7.example.', 6230), 'ipmi://bmc7.example:6230', true],
    [ipmiNode('fd00:0::7'), 'ipmi://[fd00::7]', true],
    [ipmiNode('10.0.0.7', 6230), 'ipmi://10.0.0.7', false],
    [ipmiNode('10.0.0.8'), 'ipmi://10.0.0.7', false],
    [ipmiNode('no address'), 'ipmi://10.0.0.7', false],
  ] as const) {
    test(`${JSON.stringify(node.raw.driver_info)} and ${host}: ${isSame ? 'same' : 'different'}`, () => {
      const reading = readBmcAddress(host);
      assert.ok(reading.kind === 'known');
      assert.equal(isAtAddress(node, reading.address), isSame);
    });
  }
});

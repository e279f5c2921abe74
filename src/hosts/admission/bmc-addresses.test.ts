import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addressPairs, badAddresses } from '../../bmc/index.ts';
import { systemClock } from '../../kube/index.ts';
import { fleet, type HostApi, hostObject, startHostApi } from '../testing/rig.ts';
import { createHostAdmission } from './host-rules.ts';
import { listHosts } from './listed-view.ts';

/** As a host writes it: without a scheme it would be of IPMI. */
function asHostAddress(text: string): string {
  const address = text.trim();
  if (/^https?:/i.test(address)) return address.replace(/^https/i, 'redfish').replace(/^http/i, 'redfish+http');
  return /^[a-z][a-z0-9+-]*:(\/\/|\d+\.)/i.test(address) ? address : `redfish://${address}`;
}

const ipmiPairs = [
  ['ipmi://10.0.0.7', '10.0.0.7', 'same'],
  ['ipmi://10.0.0.7:623', '10.0.0.7', 'same'],
  ['ipmi://[fd00::7]', 'ipmi://[FD00:0::7]:623', 'same'],
  ['ipmi://BMC7.example', 'ipmi://bmc7.example.', 'same'],
  ['ipmi://bücher.example', 'ipmi://xn--bcher-kva.example', 'same'],
  ['ipmi://10.0.0.7?privilegelevel=OPERATOR', 'ipmi://10.0.0.7', 'same'],
  ['ipmi://10.0.0.7', 'ipmi://10.0.0.7:6230', 'different'],
  ['ipmi://10.0.0.7', 'ipmi://10.0.0.8', 'different'],
] as const;

const pairs = [
  ...addressPairs.map(([one, other, relation]) => [asHostAddress(one), asHostAddress(other), relation] as const),
  ...ipmiPairs,
];

describe('two BareMetalHosts', () => {
  let api: HostApi;
  const admission = createHostAdmission();
  before(async () => {
    api = await startHostApi(admission.rules);
  });
  after(() => api?.close());

  const create = async (name: string, address: string) => {
    admission.attach(await listHosts({ client: api.client, clock: systemClock, expected: [] }));
    return await api.hosts.create(hostObject(name, { spec: { bmc: { address, credentialsName: 'x' } } }));
  };

  for (const [index, [one, other, relation]] of pairs.entries()) {
    it(`${one} and ${other}: ${relation}`, async () => {
      for (const [turn, [first, second]] of [
        [one, other],
        [other, one],
      ].entries()) {
        const names = [`a${index}-${turn}`, `b${index}-${turn}`] as const;
        await create(names[0], first ?? '');
        const outcome = await create(names[1], second ?? '').then(
          () => 'taken',
          (error: Error) => error.message,
        );
        for (const name of names) await api.hosts.delete({ namespace: fleet, name }).catch(() => undefined);
        if (relation === 'same' || relation === 'overlap') assert.match(outcome, new RegExp(names[0]));
        else assert.equal(outcome, 'taken');
      }
    });
  }

  for (const [text, why] of badAddresses.filter(([each]) => each !== 'ftp://10.0.0.7')) {
    it(`refuse ${text} with what is wrong and what a right one looks like`, async () => {
      await assert.rejects(create('bad', asHostAddress(text)), (error: Error) => {
        assert.match(error.message, why);
        assert.match(error.message, /write it as .*redfish:\/\//);
        assert.doesNotMatch(error.message, /hunter2/);
        return true;
      });
    });
  }

  it('refuse a scheme of no driver with those that there are', async () => {
    await assert.rejects(
      create('bad', 'ftp://10.0.0.7'),
      /Unknown BMC type 'ftp'.*write it with one of ipmi, .*redfish/,
    );
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type BMC, ironcoreApiVersion } from '../../api/index.ts';
import { addressPairs, badAddresses } from '../../bmc/index.ts';
import type { AdmissionRequest, KubeObject } from '../../kube/index.ts';
import { bmcIndexers } from '../fleet/objects.ts';
import { createTable } from '../fleet/table.ts';
import { type ObjectAddress, objectAddress } from '../testing/object-address.ts';
import { admitBmc, admitServer } from './firmware-rules.ts';

const bmcSecretRef = { name: 's' };

function bmcAt(name: string, { address: ip, protocol }: ObjectAddress): BMC & KubeObject {
  const spec = { access: { ip }, protocol, bmcSecretRef };
  return { apiVersion: ironcoreApiVersion, kind: 'BMC', metadata: { name }, spec };
}

function requestFor(object: unknown): AdmissionRequest {
  return { operation: 'CREATE', object } as unknown as AdmissionRequest;
}

function serverAt({ address, protocol, systemURI }: ObjectAddress): AdmissionRequest {
  const spec = { systemUUID: 'x', bmc: { address, protocol, bmcSecretRef }, systemURI };
  return requestFor({ apiVersion: ironcoreApiVersion, kind: 'Server', metadata: { name: 'new' }, spec });
}

describe('two BMC objects', () => {
  for (const [one, other, relation] of addressPairs) {
    test(`at ${one} and ${other}: ${relation === 'different' ? 'two BMCs' : 'one BMC'}`, () => {
      for (const [first, second] of [
        [one, other],
        [other, one],
      ] as const) {
        const bmcs = createTable([bmcAt('known', objectAddress(first))], bmcIndexers);
        const verdict = admitBmc(requestFor(bmcAt('new', objectAddress(second))), { view: { bmcs } as never });
        assert.equal(verdict.kind, 'allowed');
        const isWarned = /BMC known is at \S+ already; what is behind both shares one lock/.test(
          JSON.stringify(verdict),
        );
        assert.equal(isWarned, relation !== 'different');
      }
    });
  }
});

describe('a BMC object', () => {
  // A BMC object names a host and a port, and nothing of a system.
  for (const [text] of badAddresses.filter(([each]) => !/^ftp:|\/(?:redfish|24|login|hunter2)/.test(each))) {
    test(`at ${text} is refused`, () => {
      const verdict = admitBmc(requestFor(bmcAt('new', objectAddress(text))), undefined);
      assert.equal(verdict.kind, 'denied');
      assert.match(JSON.stringify(verdict), /no host name or IP address; write it like/);
    });
  }
});

describe('a Server object', () => {
  for (const text of new Set(addressPairs.flatMap((pair) => pair.slice(0, 2)))) {
    test(`with its BMC at ${text} is taken`, () => {
      assert.equal(admitServer(serverAt(objectAddress(text))).kind, 'allowed');
    });
  }

  // Objects name a scheme from a list of their own.
  for (const [text] of badAddresses.filter(([each]) => !each.startsWith('ftp:'))) {
    test(`with its BMC at ${text} is refused`, () => {
      const verdict = admitServer(serverAt(objectAddress(text)));
      assert.equal(verdict.kind, 'denied');
      assert.match(
        JSON.stringify(verdict),
        /no host name or IP address; write it like|is no path of a system; write it as/,
      );
    });
  }
});

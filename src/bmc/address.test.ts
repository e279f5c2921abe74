import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { parseBmcAddress } from './address.ts';
import { isBmcError } from './errors.ts';

const good: readonly (readonly [text: string, origin: string, systemPath?: string])[] = [
  ['https://10.0.0.7', 'https://10.0.0.7'],
  ['HTTPS://BMC-7.Example.COM:443/', 'https://bmc-7.example.com'],
  ['http://10.0.0.7:8000', 'http://10.0.0.7:8000'],
  ['http://10.0.0.7:80/redfish/v1/', 'http://10.0.0.7'],
  ['10.0.0.7', 'https://10.0.0.7'],
  ['10.0.0.7:8443', 'https://10.0.0.7:8443'],
  ['bmc-7', 'https://bmc-7'],
  ['bmc-7:8443', 'https://bmc-7:8443'],
  ['bmc-7.example.com.', 'https://bmc-7.example.com'],
  ['fd00::7', 'https://[fd00::7]'],
  ['FD00:0:0:0:0:0:0:7', 'https://[fd00::7]'],
  ['[fd00::7]', 'https://[fd00::7]'],
  ['[fd00::7]:8443', 'https://[fd00::7]:8443'],
  ['https://[fd00::7]:443', 'https://[fd00::7]'],
  ['fe80::1%eth0', 'https://[fe80::1%25eth0]'],
  ['https://[fe80::1%25eth0]:8443', 'https://[fe80::1%25eth0]:8443'],
  ['https://[fe80::1%eth0]:8443', 'https://[fe80::1%25eth0]:8443'],
  ['https://[fe80::1%252]', 'https://[fe80::1%252]'],
  ['redfish://10.0.0.7/redfish/v1/Systems/1', 'https://10.0.0.7', '/redfish/v1/Systems/1'],
  ['redfish://10.0.0.7/redfish/v1/Systems/1/', 'https://10.0.0.7', '/redfish/v1/Systems/1'],
  ['redfish:10.0.0.7/redfish/v1/Systems/1', 'https://10.0.0.7', '/redfish/v1/Systems/1'],
  ['redfish+http://10.0.0.7:8000/redfish/v1/Systems/1', 'http://10.0.0.7:8000', '/redfish/v1/Systems/1'],
  ['redfish+https://[fd00::7]/redfish/v1/Systems/1', 'https://[fd00::7]', '/redfish/v1/Systems/1'],
  ['redfish-virtualmedia://fd00::7/redfish/v1/Systems/1', 'https://[fd00::7]', '/redfish/v1/Systems/1'],
  [
    'idrac-virtualmedia+http://idrac/redfish/v1/Systems/System.Embedded.1',
    'http://idrac',
    '/redfish/v1/Systems/System.Embedded.1',
  ],
  ['ilo5-redfish://ilo', 'https://ilo'],
  ['https://bmc/redfish/v1/ResourceBlocks/2/Systems/1', 'https://bmc', '/redfish/v1/ResourceBlocks/2/Systems/1'],
  ['https://２２３.0.0.7', 'https://223.0.0.7'],
  [' https://10.0.0.7 ', 'https://10.0.0.7'],
];

for (const [text, origin, systemPath] of good) {
  test(`${text} is ${origin}${systemPath === undefined ? '' : ` with ${systemPath}`}`, () => {
    const address = parseBmcAddress(text);
    assert.equal(address.origin, origin);
    assert.equal(address.systemPath, systemPath);
  });
}

const bad: readonly (readonly [text: string, why: RegExp])[] = [
  ['', /names no host/],
  ['https://', /names no host/],
  ['ipmi://10.0.0.7', /not IPMI/],
  ['libvirt://10.0.0.7', /not IPMI/],
  ['ftp://10.0.0.7', /scheme ftp is not known/],
  ['redfish+ftp://10.0.0.7', /scheme redfish\+ftp is not known/],
  ['redfish+http+https://10.0.0.7', /is not known/],
  ['constructor://10.0.0.7', /is not known/],
  ['https://10.0.0', /not a complete IPv4/],
  ['https://10.0.0.256', /not a complete IPv4/],
  ['https://0x7f000001', /not a complete IPv4/],
  ['https://bmc:0', /port/],
  ['https://bmc:65536', /port/],
  ['https://bmc:80a', /port/],
  ['https://[fd00::7', /brackets/],
  ['https://[fd00::7]8443', /brackets/],
  ['https://[10.0.0.7]', /not an IPv6/],
  ['https://[fe80::1%]', /zone/],
  ['https://fd00::7::1', /not an IPv6/],
  ['https://bmc/redfish/v1?x=1', /query/],
  ['https://bmc/#x', /query or fragment/],
  ['https://bmc/redfish/../v1/Systems/1', /goes up/],
  ['https://b mc', /spaces/],
  ['https://-bmc', /neither a name nor/],
  ['https:/10.0.0.7', /not that of a system/],
  ['https//10.0.0.7', /not that of a system/],
  ['https://https://10.0.0.7', /not that of a system/],
  ['10.0.0.7/24', /not that of a system/],
  ['https://bmc/redfish/v2', /not that of a system/],
  ['https://bmc/redfish/v1/Chassis/1', /not that of a system/],
  ['https://10.0.\u00ad0', /not a complete IPv4|neither a name nor/],
  ['https://239.1.2.3', /address of no machine/],
  ['https://[ff02::1%25eth0]', /address of no machine/],
];

for (const [text, why] of bad) {
  test(`${JSON.stringify(text)} is refused: ${why.source}`, () => {
    assert.throws(
      () => parseBmcAddress(text),
      (error) => isBmcError(error, 'badAddress') && why.test(error.message),
    );
  });
}

test('credentials in an address are refused and not repeated', () => {
  for (const text of [
    'https://admin:hunter2@10.0.0.7',
    'redfish://hunter2@10.0.0.7/redfish/v1/Systems/1',
    'admin:hunter2@bmc',
  ]) {
    assert.throws(
      () => parseBmcAddress(text),
      (error) => isBmcError(error, 'badAddress') && !error.message.includes('hunter2'),
    );
  }
});

test('the scheme says what hardware it is and how it boots', () => {
  const { hardware, bootWay, isTls, scheme } = parseBmcAddress('idrac-virtualmedia+http://10.0.0.7');
  assert.deepEqual(
    { hardware, bootWay, isTls, scheme },
    { hardware: 'dell', bootWay: 'virtual-media', isTls: false, scheme: 'idrac-virtualmedia+http' },
  );
  assert.equal(parseBmcAddress('10.0.0.7').bootWay, undefined);
});

/** Neither multicast nor unspecified. */
const ipV6 = fc.ipV6().filter((ip) => !/^(ff..:|[0:]*$)/i.test(ip));
const hosts = fc.oneof(
  fc.ipV4().filter((ip) => !/^(0|22[4-9]|2[3-5]\d)\./.test(ip)),
  ipV6.map((ip) => `[${ip}]`),
  fc.tuple(ipV6, fc.stringMatching(/^[a-z][a-z0-9.]{0,8}$/)).map(([ip, zone]) => `[${ip}%25${zone}]`),
  fc.domain(),
);
const schemes = fc.constantFrom(
  'http',
  'https',
  'redfish',
  'redfish+http',
  'redfish-virtualmedia+https',
  'ilo5-virtualmedia',
  'idrac-redfish',
);
const ports = fc.option(fc.integer({ min: 1, max: 65_535 }), { nil: undefined });
const paths = fc.option(fc.stringMatching(/^\/redfish\/v1\/Systems\/[A-Za-z0-9._-]*[A-Za-z0-9]$/), { nil: undefined });

test('what an address says can be written and read again', () => {
  fc.assert(
    fc.property(schemes, hosts, ports, paths, (scheme, host, port, path) => {
      const address = parseBmcAddress(`${scheme}://${host}${port === undefined ? '' : `:${port}`}${path ?? ''}`);
      assert.equal(address.port, port ?? (address.isTls ? 443 : 80));
      assert.equal(address.systemPath, path);
      assert.deepEqual(parseBmcAddress(address.origin).origin, address.origin);
      const again = parseBmcAddress(
        `${scheme}${address.origin.slice(address.origin.indexOf(':'))}${address.systemPath ?? ''}`,
      );
      assert.deepEqual(again, address);
    }),
    { numRuns: 2000 },
  );
});

test('whatever is given, it is an address or badAddress', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.webUrl(),
        fc.string().map((text) => `redfish://${text}`),
      ),
      (text) => {
        try {
          const { origin } = parseBmcAddress(text);
          assert.match(origin, /^https?:\/\/[^/@?#]+$/);
        } catch (error) {
          assert.ok(isBmcError(error, 'badAddress'));
        }
      },
    ),
    { numRuns: 3000 },
  );
});

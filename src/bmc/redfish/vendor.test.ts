import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseServiceRoot } from './service-root.ts';
import { detectVendor, type VendorTraces } from './vendor.ts';

test('whose BMC it is, from what each vendor says of itself', () => {
  const cases: [string, VendorTraces][] = [
    ['dell', { root: { Vendor: 'Dell', Product: 'Integrated Dell Remote Access Controller', Oem: { Dell: {} } } }],
    ['dell', { root: { Oem: { Dell: { ServiceTag: 'X' } } } }],
    ['hpe', { root: { Vendor: 'HPE', Product: 'ProLiant DL380 Gen10', Oem: { Hpe: {} } } }],
    ['hpe', { root: { Oem: { Hp: {} } } }],
    ['lenovo', { root: { Vendor: 'Lenovo' } }],
    ['supermicro', { root: { Oem: { Supermicro: {} }, Product: null } }],
    ['supermicro', { root: {}, system: { Manufacturer: 'Super Micro Computer' } }],
    ['openbmc', { root: {}, manager: { Model: 'OpenBmc', Oem: { OpenBmc: {} } } }],
    ['ami', { root: { Vendor: 'AMI' } }],
    ['nvidia', { root: { Vendor: 'NVIDIA', Product: 'GB200' } }],
    // The maker of the board counts for less than the maker of the BMC's software.
    ['openbmc', { root: {}, manager: { Model: 'OpenBmc' }, system: { Manufacturer: 'Lenovo' } }],
    ['generic', { root: { Vendor: 'Contoso' }, manager: { Manufacturer: 'Contoso' }, system: {} }],
    ['generic', { root: { Vendor: 'Amigo', Product: 'Shippers' } }],
    ['generic', { root: {} }],
  ];
  for (const [vendor, traces] of cases) assert.equal(detectVendor(traces), vendor, JSON.stringify(traces));
});

test('expanding is asked for only as the root says that it works', () => {
  const queryOf = (ExpandQuery: object) =>
    parseServiceRoot({ ProtocolFeaturesSupported: { ExpandQuery } as never }).expandQuery;
  assert.equal(queryOf({ ExpandAll: true, Levels: true, MaxLevels: 6 }), '$expand=*($levels=1)');
  assert.equal(queryOf({ ExpandAll: true, Levels: false }), '$expand=*');
  assert.equal(queryOf({ ExpandAll: false, NoLinks: true, Levels: true }), '$expand=.($levels=1)');
  assert.equal(queryOf({ ExpandAll: false, Links: true }), undefined);
  assert.equal(queryOf({ ExpandAll: true, MaxLevels: 0 }), undefined);
  assert.equal(parseServiceRoot({}).hasExpand, false);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { isSameVendor, readVendor } from './vendor.ts';

test('makers are known in the spellings that inventories and catalogues use', () => {
  const known: readonly (readonly [string, string])[] = [
    ['Dell Inc.', 'dell'],
    ['DELL', 'dell'],
    ['Dell EMC', 'dell'],
    ['Hewlett Packard Enterprise', 'hpe'],
    ['HPE', 'hpe'],
    ['HP', 'hpe'],
    ['Lenovo', 'lenovo'],
    ['LENOVO', 'lenovo'],
    ['Super Micro Computer, Inc.', 'supermicro'],
    ['Supermicro', 'supermicro'],
    ['Intel(R) Corporation', 'intel'],
    ['Broadcom Inc. and subsidiaries', 'broadcom'],
    ['Broadcom Limited', 'broadcom'],
    ['Mellanox Technologies', 'nvidia'],
    ['NVIDIA', 'nvidia'],
    ['SAMSUNG ELECTRONICS CO., LTD.', 'samsung'],
    ['Western Digital', 'western-digital'],
    ['SK hynix', 'sk-hynix'],
    ['ACME Corp.', 'acme'],
    ['acme', 'acme'],
    ['Group', 'group'],
    ['', ''],
    ['...', ''],
  ];
  for (const [raw, key] of known) assert.equal(readVendor(raw).key, key, raw);
});

test('a name keeps its spelling, and what names nobody is nobody', () => {
  assert.deepEqual(readVendor('Dell Inc.'), { raw: 'Dell Inc.', vendor: 'dell', key: 'dell' });
  assert.equal(readVendor('ACME').vendor, undefined);
  assert.ok(isSameVendor('Dell Inc.', 'DELL'));
  assert.ok(!isSameVendor('Dell', 'HPE'));
  assert.ok(!isSameVendor('', ''));
  assert.ok(!isSameVendor('constructor', 'toString'));
});

test('reading a name again gives the same maker', () => {
  fc.assert(
    fc.property(fc.string(), (raw) => {
      const { key } = readVendor(raw);
      assert.equal(readVendor(readVendor(key).key).key, readVendor(key).key);
      assert.equal(readVendor(` ${raw} `).key, key);
    }),
  );
});

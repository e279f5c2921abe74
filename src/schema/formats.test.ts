import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findFormat } from './formats.ts';

// Each verdict is kube-apiserver 1.34's.
const table: Record<string, { good: string[]; bad: string[] }> = {
  bsonobjectid: { good: ['507f1f77bcf86cd799439011'], bad: ['', '507f', 'g07f1f77bcf86cd799439011'] },
  uri: {
    good: [
      'http://a/b',
      '/x',
      'mailto:a@b',
      'http://[::1]:80/',
      'http://u:p@h/',
      'http://h/?%zz',
      'http://foobar.中文网/',
    ],
    bad: ['', 'x', 'http://a b/', 'http://[::1/', 'http://a:b/', 'http://a%zz/', 'http://h/%zz', 'http://u^@h'],
  },
  email: {
    good: ['a@b', 'a@b.c', 'A B <a@b.c>', '"q" <a@b>', '<a@b>', '"a b"@c'],
    bad: ['', 'a', 'a@', '@b', 'a b@c', 'a..b@c'],
  },
  hostname: {
    good: ['a', 'host', 'host.example.com', '日本'],
    bad: ['', '-a', 'a_b', '1.2.3.4', 'x'.repeat(64)],
  },
  ipv4: { good: ['1.2.3.4', '01.2.3.4', '::ffff:1.2.3.4'], bad: ['', '1.2.3', '256.1.1.1', '::1'] },
  ipv6: { good: ['::1', '::ffff:1.2.3.4', '1:2:3:4:5:6:7:8'], bad: ['', '1.2.3.4', '1::2::3', ':::', 'fe80::1%eth0'] },
  cidr: { good: ['10.0.0.0/8', '::/128', '10.0.0.0/08'], bad: ['', '10.0.0.0/33', '::/129', '1.2.3.4/', '1.2.3.4'] },
  mac: {
    good: ['00:00:5e:00:53:01', '00-00-5e-00-53-01', '0000.5e00.5301', '02:00:5e:10:00:00:00:01'],
    bad: ['', '00:00', '00:00:5e:00:53', '00:00:5e:00:53:0g'],
  },
  uuid: { good: ['123e4567-e89b-12d3-a456-426614174000', '123e4567e89b12d3a456426614174000'], bad: ['', '123e4567'] },
  uuid3: { good: ['123e4567-e89b-32d3-a456-426614174000'], bad: ['123e4567-e89b-42d3-a456-426614174000'] },
  uuid4: { good: ['123E4567-e89b-42d3-8456-426614174000'], bad: ['123e4567-e89b-12d3-a456-426614174000'] },
  uuid5: { good: ['123e4567-e89b-52d3-a456-426614174000'], bad: ['123e4567-e89b-12d3-a456-426614174000'] },
  isbn: { good: ['0321751043', '978-0321751041'], bad: ['', '0321751044'] },
  isbn10: { good: ['0321751043', '3 401 01319 X'], bad: ['978-0321751041'] },
  isbn13: { good: ['978-0321751041'], bad: ['0321751043'] },
  creditcard: { good: ['4111 1111 1111 1111'], bad: ['4111-1111-1111-1112', ''] },
  ssn: { good: ['111-11-1111'], bad: ['111111111', ''] },
  hexcolor: { good: ['#fff', 'fff'], bad: ['#12', ''] },
  rgbcolor: { good: ['rgb(1,2,3)', 'rgb( 1 , 2 , 3 )'], bad: ['rgb(256,1,1)', ''] },
  byte: { good: ['aGk=', 'aGkx', 'YQ=='], bad: ['', 'aGk', 'a==='] },
  password: { good: ['', 'x'], bad: [] },
  date: { good: ['2024-02-29'], bad: ['2023-02-29', '2024-1-1', ''] },
  duration: {
    good: [
      '1h30m',
      '1.5h',
      '-1h',
      '+1h',
      '.5s',
      '3 days',
      '2 weeks',
      '1d',
      '10us',
      '1\u00b5s',
      '0',
      'abc 5 min x',
      `${'0'.repeat(30)}5 min`,
      '1h30',
    ],
    bad: ['', '5 foo', 'a', `${'9'.repeat(19)} days`, `${'1'.repeat(1000)} days`],
  },
  'date-time': {
    good: ['2024-01-01T00:00:00Z', '2024-01-01t00:00:00z', '2024-01-01T00:00:00.123+01:00'],
    bad: ['', '2024-01-01', '2024-01-01T24:00:00Z', '2024-01-01T00:00:00', '2024-01-01T00:00:60Z'],
  },
};

for (const [format, { good, bad }] of Object.entries(table)) {
  test(`format ${format} accepts and refuses what the API server does`, () => {
    const has = findFormat(format);
    assert.ok(has !== undefined);
    for (const text of good) assert.equal(has(text), true, JSON.stringify(text));
    for (const text of bad) assert.equal(has(text), false, JSON.stringify(text));
  });
}

test('formats that the API server does not enforce are not known', () => {
  for (const format of ['int32', 'int64', 'float', 'double', 'foo', '__proto__', 'k8s-short-name']) {
    assert.equal(findFormat(format), undefined);
  }
});

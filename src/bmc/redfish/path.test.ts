import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { barePath, childPath, isSamePath, lastSegment, toBmcPath } from './path.ts';

const origin = 'https://10.0.0.7:8443';

test('only paths on the BMC itself are followed', () => {
  const cases: [unknown, string | undefined][] = [
    ['/redfish/v1/Systems/1', '/redfish/v1/Systems/1'],
    ['/redfish/v1/Systems?$skip=50', '/redfish/v1/Systems?$skip=50'],
    ['/redfish/v1/Chassis/1/Power#/PowerSupplies/0', '/redfish/v1/Chassis/1/Power'],
    ['https://10.0.0.7:8443/redfish/v1/TaskService/Tasks/1', '/redfish/v1/TaskService/Tasks/1'],
    ['https://10.0.0.8:8443/redfish/v1', undefined],
    ['http://10.0.0.7:8443/redfish/v1', undefined],
    ['https://10.0.0.7/redfish/v1', undefined],
    ['//10.0.0.8/redfish/v1', undefined],
    ['/\\10.0.0.8/x', undefined],
    ['redfish/v1', undefined],
    ['/redfish/v1/../../etc', undefined],
    ['/redfish/v1/%2e%2e/x', undefined],
    ['/redfish/v1/a\r\nHost: x', undefined],
    [`/${'a'.repeat(3000)}`, undefined],
    [null, undefined],
    [{ '@odata.id': '/x' }, undefined],
  ];
  for (const [value, path] of cases) assert.equal(toBmcPath(value, origin), path, String(value));
});

test('whatever is followed stays on the BMC', () => {
  const pieces = fc.constantFrom(
    '/',
    '//',
    '\\',
    '..',
    '.',
    '@',
    ':',
    'evil.test',
    '%2e',
    '?',
    '#',
    'redfish',
    ' ',
    'http:',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
      const path = toBmcPath(parts.join(''), origin);
      if (path !== undefined) assert.equal(new URL(path, origin).origin, origin);
    }),
    { numRuns: 5000 },
  );
});

test('two links to one resource are the same', () => {
  assert.equal(isSamePath('/redfish/v1/Systems/1/', '/redfish/v1/Systems/1'), true);
  assert.equal(isSamePath('/redfish/v1/Systems/1?$select=Id', '/redfish/v1/Systems/1'), true);
  assert.equal(isSamePath('/redfish/v1/Systems/1', '/redfish/v1/Systems/2'), false);
  assert.equal(barePath('/'), '/');
  assert.equal(lastSegment('/redfish/v1/Systems/1/'), '1');
  assert.equal(childPath('/redfish/v1/Systems/1/', 'Bios', 'Settings'), '/redfish/v1/Systems/1/Bios/Settings');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillServer, type ObservedServer } from './fill-server.ts';
import type { ServerFields } from './server.ts';

const empty: ServerFields = {
  ...{ name: '', facility: 'fc1', vendor: '', model: '', serial: '', bmcId: '', bmcAddress: '' },
  ...{ macs: [], systemUuid: '', bmcUuid: '' },
};
const uuid = '0a1b2c3d-1111-4222-8333-444455556666';
const observed: ObservedServer = {
  ...{ vendor: 'Dell Inc.', model: 'PowerEdge R640', serial: 'CN747', systemUuid: uuid, bmcUuid: '' },
  ...{ macs: ['aa:bb:cc:00:00:02', 'aa:bb:cc:00:00:01'], otherSerials: ['TAG7'] },
};

test('what is not known is filled in, and changes with the next inventory', () => {
  const first = fillServer({ fields: empty, filled: {} }, observed);
  assert.deepEqual(first.contradictions, []);
  const { vendor, model, serial, systemUuid, bmcUuid, macs } = first.fields;
  assert.deepEqual(
    [vendor, model, serial, systemUuid, bmcUuid, macs],
    ['Dell Inc.', 'PowerEdge R640', 'CN747', uuid, '', ['aa:bb:cc:00:00:01', 'aa:bb:cc:00:00:02']],
  );
  const next = fillServer(first, { ...observed, model: 'PowerEdge R650', macs: ['aa:bb:cc:00:00:03'] });
  assert.deepEqual([next.fields.model, next.fields.macs], ['PowerEdge R650', ['aa:bb:cc:00:00:03']]);
  assert.deepEqual(next.contradictions, []);
});

test('what an operator wrote stays, and agrees in the words that people use', () => {
  const typed = { ...empty, vendor: 'dell', model: 'r640', serial: 'tag7', macs: ['aa:bb:cc:00:00:09'] };
  const { fields, contradictions } = fillServer({ fields: typed, filled: {} }, observed);
  assert.deepEqual(fields, { ...typed, systemUuid: uuid });
  assert.deepEqual(contradictions, []);
});

test('what an operator wrote and the BMC tells otherwise stays and is reported', () => {
  const typed = { ...empty, vendor: 'HPE', model: 'DL380', serial: 'OTHER' };
  const { fields, contradictions } = fillServer({ fields: typed, filled: {} }, observed);
  assert.deepEqual([fields.vendor, fields.model, fields.serial], ['HPE', 'DL380', 'OTHER']);
  assert.deepEqual(contradictions, [
    'vendor: the record has HPE, the BMC tells Dell Inc.',
    'model: the record has DL380, the BMC tells PowerEdge R640',
    'serial: the record has OTHER, the BMC tells CN747',
  ]);
});

test('what an operator changes after it was filled in is the operator’s, and what is cleared is filled in again', () => {
  const first = fillServer({ fields: empty, filled: {} }, observed);
  const changed = { ...first, fields: { ...first.fields, model: 'R640-lab', serial: '' } };
  const next = fillServer(changed, { ...observed, model: 'PowerEdge R650', serial: 'NEW' });
  assert.deepEqual([next.fields.model, next.fields.serial], ['R640-lab', 'NEW']);
  assert.equal(next.contradictions.length, 1);
});

test('a BMC that does not say takes nothing away', () => {
  const first = fillServer({ fields: empty, filled: {} }, observed);
  const silent = { ...observed, vendor: '', model: '', serial: '', systemUuid: '', macs: [] };
  assert.deepEqual(fillServer(first, silent), first);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planFacts, plannedBmc, plannedFirmware, plannedServer } from '../testing/plan-facts.ts';
import { findServer, nearNames } from './find-server.ts';

const facts = planFacts({
  servers: [
    plannedServer('rack1-a-system-0', { bmc: 'rack1-a' }),
    plannedServer('rack1-b-system-0', { bmc: 'rack1-b' }),
    plannedServer('rack1-b-system-1', { bmc: 'rack1-b' }),
  ],
  firmwares: [
    plannedFirmware('rack1-a-system-0'),
    plannedFirmware('other-name', { server: 'rack1-b-system-0' }),
    plannedFirmware('lonely', { server: 'gone' }),
  ],
  bmcs: [plannedBmc('rack1-a'), plannedBmc('rack1-b'), plannedBmc('rack1-c')],
});

function found(word: string): string {
  const finding = findServer(facts, word);
  if (finding.kind === 'found') return `${finding.subject.server}/${finding.subject.serverFirmware ?? '-'}`;
  return finding.kind === 'several' ? finding.subjects.map(({ server }) => server).join('+') : finding.kind;
}

test('a server is found by its name, its firmware’s, its BMC’s and its UUID in any case', () => {
  assert.equal(found('rack1-a-system-0'), 'rack1-a-system-0/rack1-a-system-0');
  assert.equal(found('other-name'), 'rack1-b-system-0/other-name');
  assert.equal(found('rack1-a'), 'rack1-a-system-0/rack1-a-system-0');
  assert.equal(found('uuid-RACK1-B-system-1'), 'rack1-b-system-1/-');
  assert.equal(found('lonely'), 'gone/lonely');
  assert.equal(found('gone'), 'gone/lonely');
});

test('a BMC with two systems means both, one without any means none', () => {
  assert.equal(found('rack1-b'), 'rack1-b-system-0+rack1-b-system-1');
  assert.equal(found('rack1-c'), 'bare-bmc');
});

test('for what is not there the nearest names are told, and for nonsense none', () => {
  const finding = findServer(facts, 'rack1-a-sytem-0');
  assert.equal(finding.kind, 'unknown');
  assert.equal(finding.kind === 'unknown' ? finding.near[0] : '', 'rack1-a-system-0');
  assert.deepEqual(findServer(facts, 'zzzzzzzzzzzz'), { kind: 'unknown', near: [] });
  assert.deepEqual(nearNames('web', ['db-1', 'web-1', 'web']), ['web', 'web-1']);
  assert.equal(
    nearNames(
      's',
      Array.from({ length: 50 }, (_, at) => `s${at}`),
    ).length,
    5,
  );
});

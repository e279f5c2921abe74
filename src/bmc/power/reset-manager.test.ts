import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BmcErrorCode, isBmcError } from '../errors.ts';
import { sampleTree } from '../testing/sample-tree.ts';
import { createScriptedBmc } from '../testing/scripted-bmc.ts';
import { resetManager } from './reset-manager.ts';

const reset = 'POST /redfish/v1/Managers/1/Actions/Manager.Reset';
const lines = ['GET /redfish/v1/', 'GET /redfish/v1/Managers', 'GET /redfish/v1/Managers/1'];

/** A BMC that goes away some time after it is told to, and whose services come back one after the other. */
function restarting(options: { awayAfterMs?: number; answer?: BmcErrorCode; backMs?: readonly number[] } = {}) {
  const { awayAfterMs = 2000, backMs = [60_000, 70_000, 80_000] } = options;
  const scripted = createScriptedBmc({ tree: sampleTree({ root: { Vendor: 'Dell' } }) });
  const { gate, clock } = scripted;
  const outages: number[] = [];
  gate.on(reset, () => {
    outages.push(gate.outages);
    clock.after(awayAfterMs, () => {
      for (const line of lines) gate.on(line, () => 'unreachable');
    });
    backMs.forEach((ms, index) => {
      const line = lines[index] ?? '';
      const path = line.slice(4);
      clock.after(ms, () => gate.on(line, () => ({ body: gate.tree.get(path.replace(/\/$/, '')) ?? {} })));
    });
    return options.answer ?? { status: 204 };
  });
  return { ...scripted, outages };
}

test('a BMC is restarted and waited for: away, root, managers, a session that works', async () => {
  const { bmc, gate, outages } = restarting();
  const { sent, wasAway, tookMs } = await resetManager(bmc);
  assert.deepEqual([sent, wasAway], ['GracefulRestart', true]);
  assert.ok(tookMs >= 80_000 && tookMs < 120_000, `${tookMs}`);
  assert.deepEqual(outages, [1], 'the gate knows before the request is sent');
  assert.equal(gate.outages, 0, 'and knows when it is over');
  const request = gate.sent.find(({ method }) => method === 'POST');
  assert.deepEqual([request?.isDisruptive, request?.body], [true, { ResetType: 'GracefulRestart' }]);
});

test('a BMC that goes away before it has answered has taken the request', async () => {
  for (const answer of ['ambiguous', 'timeout'] as const) {
    assert.equal((await resetManager(restarting({ answer }).bmc)).wasAway, true);
  }
});

test('a BMC that is never seen away is believed after a minute', async () => {
  const { bmc } = restarting({ awayAfterMs: 10_000_000, backMs: [] });
  const { wasAway, tookMs } = await resetManager(bmc);
  assert.equal(wasAway, false);
  assert.ok(tookMs >= 60_000 && tookMs < 70_000, `${tookMs}`);
});

test('a refused restart is an error, and the outage is over', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: sampleTree() });
  gate.on(reset, () => ({ status: 403 }));
  await assert.rejects(resetManager(bmc), (error) => isBmcError(error, 'refused'));
  assert.equal(gate.outages, 0);
});

test('a BMC that does not come back ends with a deadline, and the outage is over', async () => {
  const { bmc, gate } = restarting({ backMs: [] });
  await assert.rejects(resetManager(bmc, { deadlineMs: 300_000 }), (error) => isBmcError(error, 'deadline'));
  assert.equal(gate.outages, 0);
});

test('another certificate after the restart ends the wait', async () => {
  const { bmc, gate, clock } = restarting();
  clock.after(30_000, () => gate.on('GET /redfish/v1/', () => 'certificate'));
  await assert.rejects(resetManager(bmc), (error) => isBmcError(error, 'certificate'));
});

test('what was learned before the restart counts no more', async () => {
  const { bmc, gate } = restarting();
  await bmc.root();
  await resetManager(bmc);
  const before = gate.lines.filter((line) => line === 'GET /redfish/v1/').length;
  await bmc.root();
  assert.equal(gate.lines.filter((line) => line === 'GET /redfish/v1/').length, before + 1);
});

test('the type is forced where asked, and a BMC that offers none says so', async () => {
  assert.equal((await resetManager(restarting().bmc, { isForced: true })).sent, 'ForceRestart');
  const target = { target: '/x', 'ResetType@Redfish.AllowableValues': ['Nmi'] };
  const odd = createScriptedBmc({ tree: sampleTree({ manager: { Actions: { '#Manager.Reset': target } } }) });
  await assert.rejects(resetManager(odd.bmc), /offers only Nmi/);
});

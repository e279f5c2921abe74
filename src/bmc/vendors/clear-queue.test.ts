import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isBmcError } from '../errors.ts';
import { createScriptedBmc } from '../testing/scripted-bmc.ts';
import { dellTree, hpeTree } from '../update/testing/vendor-trees.ts';
import { clearJobQueue, cureFor, waysOf } from './index.ts';

const path = '/redfish/v1/Managers/iDRAC.Embedded.1/Oem/Dell/DellJobService/Actions/DellJobService.DeleteJobQueue';

test('the queue of an iDRAC is cleared, with force if so asked, under the lease', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: dellTree });
  gate.on(`POST ${path}`, () => ({ status: 200 }));
  await clearJobQueue(bmc, { isForced: false });
  await clearJobQueue(bmc, { isForced: true });
  const posts = gate.sent.filter(({ method }) => method === 'POST');
  assert.deepEqual(
    posts.map(({ body, isDisruptive }) => [body, isDisruptive]),
    [
      [{ JobID: 'JID_CLEARALL' }, true],
      [{ JobID: 'JID_CLEARALL_FORCE' }, true],
    ],
  );
});

test('older iDRACs have the action elsewhere', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: dellTree });
  const old = '/redfish/v1/Dell/Managers/iDRAC.Embedded.1/DellJobService/Actions/DellJobService.DeleteJobQueue';
  gate.on(`POST ${old}`, () => ({ status: 200 }));
  gate.on(`POST ${path}`, () => ({ status: 404 }));
  await clearJobQueue(bmc, { isForced: false });
  assert.equal(gate.lines.at(-1), `POST ${old}`);
});

test('other BMCs have no such queue', async () => {
  const { bmc } = createScriptedBmc({ tree: hpeTree });
  await assert.rejects(clearJobQueue(bmc, { isForced: false }), (error) => isBmcError(error, 'unsupported'));
});

test('what frees a stuck updater is known by the message', () => {
  assert.equal(cureFor(['IDRAC.2.8.JCP052']), 'reset-bmc');
  assert.equal(cureFor(['Base.1.0.GeneralError', 'SMC.1.0.OemFirmwareAlreadyInUpdateMode']), 'reset-bmc');
  assert.equal(cureFor(['IDRAC.2.8.SYS011']), 'clear-queue');
  assert.equal(cureFor(['IDRAC.2.8.SYS518']), 'retry-later');
  assert.equal(cureFor(['iLO.2.14.InvalidOperationForSystemState']), 'retry-later');
  assert.equal(cureFor(['Base.1.0.Success', 'constructor', '']), undefined);
});

test('every vendor has its ways under its own name', () => {
  for (const vendor of ['dell', 'hpe', 'lenovo', 'supermicro', 'openbmc', 'ami', 'nvidia', 'generic'] as const) {
    assert.equal(waysOf(vendor).vendor, vendor);
  }
});

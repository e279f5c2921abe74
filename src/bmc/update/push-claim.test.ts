import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BmcError, isBmcError } from '../errors.ts';
import { createScriptedBmc } from '../testing/scripted-bmc.ts';
import { waysOf } from '../vendors/index.ts';
import { claimPush } from './push-claim.ts';
import { sendPush } from './send-image.ts';
import { lenovoTree } from './testing/vendor-trees.ts';
import { describeUpdateService } from './update-service.ts';

const service = '/redfish/v1/UpdateService';
const patch = `PATCH ${service}`;
const wish = { targets: ['/redfish/v1/UpdateService/FirmwareInventory/UEFI'], applyTime: undefined, isForced: false };

test('the claim and its release are fenced: without the lease neither is sent', async () => {
  let isHeld = true;
  const checkLease = async (_: string, origin: string) => {
    if (!isHeld) throw new BmcError('leaseLost', { origin, detail: 'another has it' });
  };
  const { bmc, gate } = createScriptedBmc({ tree: lenovoTree, checkLease });
  const offer = await describeUpdateService(bmc);
  isHeld = false;
  await assert.rejects(claimPush(bmc, offer, wish), (error) => isBmcError(error, 'leaseLost'));
  assert.equal(gate.lines.includes(patch), false);
  isHeld = true;
  const claim = await claimPush(bmc, offer, wish);
  assert.equal(gate.tree.get(service)?.HttpPushUriTargetsBusy, true);
  isHeld = false;
  assert.match((await claim.release()) ?? '', /lease/);
  assert.equal(gate.lines.filter((line) => line === patch).length, 1);
  assert.ok(gate.sent.filter(({ method }) => method === 'PATCH').every(({ isDisruptive }) => isDisruptive === true));
});

test('a push that lost its lease gives back no claim, which may be another one by now', async () => {
  const held = [true, false, true];
  const checkLease = async (_: string, origin: string) => {
    if (held.shift() === false) throw new BmcError('leaseLost', { origin, detail: 'another has it' });
  };
  const { bmc, gate } = createScriptedBmc({ tree: lenovoTree, checkLease });
  const file = { path: '/nowhere/fw.bin', digest: { algorithm: 'sha256', hex: '00' } } as const;
  const order = { image: file, targets: wish.targets, component: 'bios' };
  const offer = await describeUpdateService(bmc);
  const sending = { bmc, order, offer, ways: waysOf('lenovo'), targets: wish.targets };
  const plan = { via: 'push', uri: '/fwupdate', file, applyTime: undefined } as const;
  const pushed = sendPush(sending, plan, { ...file, name: 'fw.bin', sizeBytes: 1 });
  await assert.rejects(pushed, (error) => isBmcError(error, 'leaseLost'));
  assert.deepEqual(
    gate.lines.filter((line) => !line.startsWith('GET')),
    [patch],
  );
});

test('a claim whose answer was lost is looked at: held it goes on, else the push is blocked', async () => {
  const lost = createScriptedBmc({ tree: lenovoTree });
  const offer = await describeUpdateService(lost.bmc);
  lost.gate.once(patch, (request) => {
    lost.gate.change(service, request.body as never);
    return 'ambiguous';
  });
  const claim = await claimPush(lost.bmc, offer, wish);
  assert.equal(await claim.release(), undefined);
  assert.equal(lost.gate.tree.get(service)?.HttpPushUriTargetsBusy, false);
  lost.gate.once(patch, () => 'ambiguous');
  await assert.rejects(claimPush(lost.bmc, offer, wish), (error) => isBmcError(error, 'blocked'));
});

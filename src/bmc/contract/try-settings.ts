import assert from 'node:assert/strict';
import { isBmcError } from '../errors.ts';
import { setPower } from '../power/index.ts';
import {
  ejectMedia,
  insertMedium,
  listVirtualDrives,
  readBoot,
  readIndicator,
  readSecureBoot,
  setBootOverride,
  setIndicator,
  setSecureBoot,
} from '../settings/index.ts';
import type { RunningTarget } from './target.ts';

/** Sets an override for one boot, sees it, and takes it back. */
export function tryBootOverride(target: RunningTarget): Promise<void> {
  return target.asProcess(async (bmc) => {
    await setPower(bmc, { target: 'off' });
    const set = await setBootOverride(bmc, { enabled: 'Once', target: 'Pxe' });
    assert.deepEqual([set.wasSent, set.isVerified], [true, true]);
    assert.equal((await setBootOverride(bmc, { enabled: 'Once', target: 'Pxe' })).wasSent, false);
    const boot = await readBoot(bmc);
    assert.deepEqual([boot.enabled, boot.target], ['Once', 'Pxe']);
    assert.equal((await setBootOverride(bmc, { enabled: 'Disabled' })).isVerified, true);
    const unknown = setBootOverride(bmc, { enabled: 'Once', target: 'PunchedCard' });
    await assert.rejects(unknown, /PunchedCard/);
    await setPower(bmc, { target: 'on' });
  });
}

/** An override that the BMC keeps whatever it is told: it must not be taken for one that is gone after a boot. */
export function tryLastingBootOverride(target: RunningTarget): Promise<void> {
  return target.asProcess(async (bmc) => {
    await setPower(bmc, { target: 'off' });
    const set = await setBootOverride(bmc, { enabled: 'Continuous', target: 'Pxe' });
    assert.deepEqual([set.wasSent, set.isVerified], [true, true]);
    assert.equal((await setBootOverride(bmc, { enabled: 'Continuous', target: 'Pxe' })).wasSent, false);
    const onlyOnce = await setBootOverride(bmc, { enabled: 'Once', target: 'Hdd', verifyMs: 2000 });
    assert.deepEqual([onlyOnce.isVerified, onlyOnce.boot.enabled, onlyOnce.boot.target], [false, 'Continuous', 'Hdd']);
    await assert.rejects(setBootOverride(bmc, { enabled: 'Disabled' }), (error) => isBmcError(error, 'refused'));
    assert.equal((await setBootOverride(bmc, { enabled: 'Continuous', target: 'Hdd' })).wasSent, false);
    await setPower(bmc, { target: 'on' });
  });
}

/** Puts an image into a drive and takes it out. */
export function tryVirtualMedia(target: RunningTarget): Promise<void> {
  return target.asProcess(async (bmc) => {
    const image = target.mediumUri;
    const inserted = await insertMedium(bmc, { image });
    assert.deepEqual([inserted.wasSent, inserted.isVerified, inserted.doubt], [true, true, undefined]);
    assert.equal((await insertMedium(bmc, { image })).wasSent, false);
    assert.equal((await listVirtualDrives(bmc)).filter(({ isInserted }) => isInserted).length, 1);
    const ejected = await ejectMedia(bmc);
    assert.deepEqual(
      ejected.map(({ drive, isVerified }) => [drive.id, isVerified]),
      [[inserted.drive.id, true]],
    );
    assert.deepEqual(await ejectMedia(bmc), []);
  });
}

/** Switches secure boot and switches it back. */
export function trySecureBoot(target: RunningTarget): Promise<void> {
  return target.asProcess(async (bmc) => {
    const isEnabled = (await readSecureBoot(bmc)).isEnabled === true;
    for (const wanted of [!isEnabled, isEnabled]) {
      assert.equal((await setSecureBoot(bmc, { isEnabled: wanted })).wasSent, true);
      assert.equal((await readSecureBoot(bmc)).isEnabled, wanted);
    }
  });
}

/** Switches the light on and off. */
export function tryIndicator(target: RunningTarget): Promise<void> {
  return target.asProcess(async (bmc) => {
    for (const state of ['lit', 'off'] as const) {
      await setIndicator(bmc, { state });
      assert.equal(await readIndicator(bmc), state);
    }
  });
}

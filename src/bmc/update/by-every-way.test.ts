import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PersonalityName, personalityNames } from '../../../simulator/index.ts';
import { isBmcError } from '../errors.ts';
import { describeUpdateService, type Via, waysIn } from './index.ts';
import { installUntilVerified } from './testing/install-until-verified.ts';
import { goalFor, startRig, type UpdateRig } from './testing/update-rig.ts';

const components = ['bmc', 'bios', 'nic'] as const;

/** Ways that are offered but cannot be gone: with what words they are refused. */
const closed: Partial<Record<PersonalityName, Partial<Record<Via, RegExp>>>> = {
  'hpe-ilo5': { push: /a form of its web pages/ },
  'lenovo-xcc': { pull: /by TFTP, SFTP/ },
};

for (const personality of personalityNames) {
  test(`${personality}: BMC, BIOS and NIC are updated by every way that is offered`, async (t) => {
    const rig = await startRig(t, personality);
    const offered = await rig.asProcess(async (bmc) => waysIn(await describeUpdateService(bmc)));
    assert.ok(offered.length > 0);
    for (const via of offered) {
      const words = closed[personality]?.[via];
      for (const component of components) {
        if (words === undefined) await updateOnce(rig, component, via);
        else await refuseOnce(rig, { component, via, words });
      }
    }
  });
}

async function updateOnce(rig: UpdateRig, component: (typeof components)[number], via: Via): Promise<void> {
  const release = await rig.release(component);
  const before = rig.flashes().length;
  const found = await rig.asProcess(async (bmc) => installUntilVerified(bmc, await goalFor(bmc, release, via)));
  assert.equal(found.kind, 'installed', `${component} by ${via}: ${JSON.stringify(found)}`);
  const flashed = rig.flashes().slice(before);
  assert.equal(new Set(flashed).size, flashed.length, `${component} by ${via} was written twice: ${flashed}`);
}

async function refuseOnce(
  rig: UpdateRig,
  order: { readonly component: (typeof components)[number]; readonly via: Via; readonly words: RegExp },
): Promise<void> {
  const release = await rig.release(order.component);
  const installing = rig.asProcess(async (bmc) => installUntilVerified(bmc, await goalFor(bmc, release, order.via)));
  await assert.rejects(installing, (error) => isBmcError(error, 'unsupported') && order.words.test(error.message));
}

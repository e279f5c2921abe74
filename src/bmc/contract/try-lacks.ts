import assert from 'node:assert/strict';
import type { Bmc } from '../bmc.ts';
import { isBmcError } from '../errors.ts';
import { followEvents } from '../events/index.ts';
import { readInventory } from '../inventory/index.ts';
import { resetManager, setPower, waitForPost } from '../power/index.ts';
import { insertMedium, type MediumChange } from '../settings/index.ts';
import type { RunningTarget, TargetCapabilities } from './target.ts';

/** What is seen where a capability is lacking: a lack that is only claimed fails here. */
const signs: Partial<Record<keyof TargetCapabilities, (bmc: Bmc, target: RunningTarget) => Promise<void>>> = {
  hasManagerReset: async (bmc) => {
    await assert.rejects(resetManager(bmc), (error) => isBmcError(error, 'unsupported'));
  },
  hasEventStream: async (bmc) => {
    const signal = AbortSignal.timeout(120_000);
    await assert.rejects(followEvents(bmc, { signal, onHint: () => {} }), (error) => isBmcError(error, 'unsupported'));
  },
  // It may show the medium all the same; then there is a doubt about it.
  hasVirtualMedia: async (bmc, { mediumUri }) => {
    const outcome = await insertMedium(bmc, { image: mediumUri }).catch((error: unknown) => error);
    if (!isBmcError(outcome, 'unsupported', 'refused', 'ambiguous')) {
      assert.match((outcome as MediumChange).doubt ?? '', /\(500 /);
    }
  },
  hasBootProgress: async (bmc) => {
    await setPower(bmc, { target: 'on' });
    assert.equal((await waitForPost(bmc, { assumedMs: 500 })).by, 'assumed');
  },
  hasNeighbours: async (bmc) => {
    const { ports } = await readInventory(bmc);
    assert.ok(ports.every(({ neighbour }) => neighbour === undefined));
  },
};

/** Tries what a BMC is said to lack: it must say so, and in words of ours. */
export async function tryLack(target: RunningTarget, lacked: string): Promise<void> {
  const look = signs[lacked as keyof TargetCapabilities];
  assert.ok(look, `nothing shows that ${lacked} is lacking: say here what does`);
  await target.asProcess((bmc) => look(bmc, target));
}

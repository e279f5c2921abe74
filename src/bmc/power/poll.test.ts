import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isBmcError } from '../errors.ts';
import { createScriptedBmc } from '../testing/scripted-bmc.ts';
import { poll } from './poll.ts';

test('a deadline is reached whatever fraction of a millisecond the clock is at', async () => {
  const { bmc, clock } = createScriptedBmc();
  for (let round = 0; round < 300; round += 1) {
    clock.advance(1000 / 7 + round / 3);
    let looks = 0;
    const look = async () => {
      looks += 1;
      // Time stands still when what is left is too small to be added to it.
      assert.ok(looks < 100, `it looks without end in round ${round}`);
      return undefined;
    };
    const waiting = poll(bmc, { what: 'nothing', deadlineMs: 15_000, look });
    await assert.rejects(waiting, (error) => isBmcError(error, 'deadline'));
  }
});

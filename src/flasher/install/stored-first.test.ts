import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personalityNames } from '../../../simulator/index.ts';
import type { GateLane, Gates } from '../../bmc/index.ts';
import { startFlasherRig } from '../testing/flasher-rig.ts';
import { createMortal } from '../testing/mortal.ts';
import type { InstallState } from './install-table.ts';
import type { InstallProgress } from './progress.ts';

/** Where a change may come from, whatever else need not be stored: whoever comes after a crash has to find it there. */
const sendingStates: readonly InstallState[] = ['sending', 'starting'];
const resettingStates: readonly InstallState[] = [
  'powering-on',
  'powering-off',
  'resetting-bmc',
  'activating',
  'curing',
  'restoring-power',
];

/** Gates that show each request which changes something before it is sent. */
function watched(gates: Gates, onChange: (path: string) => void): Gates {
  const watchLane = (lane: GateLane): GateLane => ({
    origin: lane.origin,
    endpoint: lane.endpoint,
    get sessionUri() {
      return lane.sessionUri;
    },
    get state() {
      return lane.state;
    },
    request(request) {
      if (request.isDisruptive === true) onChange(request.path);
      return lane.request(request);
    },
    openEventStream: (path, signal, headers) => lane.openEventStream(path, signal, headers),
    expectOutage: () => lane.expectOutage(),
    logOut: () => lane.logOut(),
  });
  return {
    get states() {
      return gates.states;
    },
    close: () => gates.close(),
    open: (endpoint, caller) => watchLane(gates.open(endpoint, caller)),
  };
}

for (const personality of personalityNames) {
  for (const arePoweredOn of [true, false]) {
    test(`${personality}, host ${arePoweredOn ? 'on' : 'off'}: what is about to be changed is in the store before each change`, async (context) => {
      const rig = await startFlasherRig(context, personality, { arePoweredOn });
      const firmwares = [await rig.release('bmc'), await rig.release('bios'), await rig.release('nic')];
      const order = rig.order({ firmwares, doesResetBmcFirst: true });
      const seen: string[] = [];
      const onChange = (path: string): void => {
        const { state, actions, at } = order.progress as unknown as InstallProgress;
        const { sends, mark, reset, started } = actions[at] ?? {};
        seen.push(`${state} ${path}`);
        const isReset = /\.Reset$/.test(path) || !/update|firmware|upload/i.test(path);
        assert.ok((isReset ? resettingStates : sendingStates).includes(state), seen.join('\n'));
        // What the finding of a lost answer, and of a reset that may have been done, goes by.
        if (state === 'sending') assert.ok(mark !== undefined && (sends ?? 0) > 0, seen.join('\n'));
        if (state === 'starting') assert.ok(started !== undefined, seen.join('\n'));
        if (state === 'activating') assert.ok((reset?.count ?? 0) > 0 && reset?.isDone === false, seen.join('\n'));
        if (state !== 'powering-on') assert.ok(order.progress.powerBefore !== undefined, seen.join('\n'));
      };
      const mortal = createMortal();
      const end = await rig.process(order, {
        mortal: { ...mortal, gates: (gates) => watched(mortal.gates(gates), onChange) },
      });
      assert.equal(end.outcome, 'succeeded', `${seen.join('\n')}\n${JSON.stringify(end)}`);
      assert.ok(seen.some((line) => line.startsWith('sending')) && seen.length > firmwares.length, seen.join('\n'));
    });
  }
}

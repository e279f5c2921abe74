import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GateRequest } from '../../bmc/index.ts';
import { withRequest } from '../change-lane.ts';
import { type FlasherRig, type ProcessEnd, startFlasherRig } from '../testing/flasher-rig.ts';
import { createMortal } from '../testing/mortal.ts';

interface Ran {
  readonly end: ProcessEnd;
  readonly requests: readonly GateRequest[];
  /** How many requests there were before a cancel had to wait. */
  readonly safeRequests: number;
}

/** Lets one process work on an order that is cancelled while request number `at` is under way. */
async function runCancelled(rig: FlasherRig, order: ReturnType<FlasherRig['order']>, at: number): Promise<Ran> {
  const mortal = createMortal();
  const requests: GateRequest[] = [];
  let safeRequests = 0;
  const watched = {
    ...mortal,
    moment(what: string) {
      if (order.isCancelUnsafe && safeRequests === 0) safeRequests = requests.length;
      mortal.moment(what);
    },
    gates(gates: Parameters<typeof mortal.gates>[0]) {
      const inner = mortal.gates(gates);
      const open: typeof inner.open = (endpoint, caller) => {
        const lane = inner.open(endpoint, caller);
        return withRequest(lane, async (request) => {
          requests.push(request);
          if (requests.length === at) order.cancel = { at: 0, isForced: false, by: 'operator' };
          return await lane.request(request);
        });
      };
      return { ...inner, open };
    },
  };
  const end = await rig.process(order, { mortal: watched });
  return { end, requests, safeRequests };
}

const isWrite = ({ method, path }: GateRequest): boolean => method !== 'GET' && !/Sessions/.test(path);

/** An install of an image, and one that finds it staged by an earlier one, so that only the restart is left. */
const scenes: Readonly<Record<string, (rig: FlasherRig) => Promise<ReturnType<FlasherRig['order']>>>> = {
  'an image is sent': async (rig) => rig.order({ firmwares: [await rig.release('bios')] }),
  'the host is restarted for what is staged': async (rig) => {
    const firmwares = [await rig.release('bios')];
    rig.setFaults([{ kind: 'busy', method: 'POST', path: '*ComputerSystem.Reset' }]);
    assert.equal((await rig.process(rig.order({ firmwares }))).outcome, 'failed');
    rig.setFaults([]);
    return rig.order({ firmwares });
  },
};

for (const [what, begin] of Object.entries(scenes)) {
  test(`a cancel at any moment before ${what} keeps it from that`, async (context) => {
    const whole = await startFlasherRig(context, 'hpe-ilo5');
    const { end, requests, safeRequests } = await runCancelled(whole, await begin(whole), 0);
    assert.equal(end.outcome, 'succeeded', JSON.stringify(end));
    assert.ok(safeRequests > 3 && safeRequests <= requests.findIndex(isWrite), String(safeRequests));
    for (let at = safeRequests; at > 0; at -= 1) {
      await context.test(`during request ${at} of ${safeRequests}`, async (inner) => {
        const rig = await startFlasherRig(inner, 'hpe-ilo5');
        const ran = await runCancelled(rig, await begin(rig), at);
        const story = `${JSON.stringify(ran.end)}\n${ran.requests.map(({ method, path }) => `${method} ${path}`).join('\n')}`;
        assert.ok(ran.end.outcome === 'failed', story);
        assert.equal(ran.end.reason.code, 'Cancelled', story);
        assert.deepEqual(ran.requests.filter(isWrite), [], story);
      });
    }
  });
}

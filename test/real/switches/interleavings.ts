import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fc } from '#fast-check';
import type { SwitchPort } from '../../../src/api/index.ts';
import { parseKey } from '../../../src/kube/index.ts';
import {
  type ControllerRig,
  link,
  openApi,
  putConfiguration,
  putNamespace,
  startControllers,
  until,
  untilState,
} from '../../../src/network/testing/rig.ts';
import { embeddedConnection } from '../../e2e/embedded-connection.ts';
import { infra } from '../../e2e/ports-plane.ts';
import { describeSwitch, type SwitchToLiveOn } from './host-port-life.ts';
import { createLateDevices, type Mishap } from './late-device.ts';
import type { RealOvs } from './real-ovs.ts';

/** How many orders of events are tried, and how slow the switch is. */
export interface Interleavings {
  /** Unless RACKWRIGHT_INTERLEAVINGS says another number. */
  readonly count: number;
  /** How long a change may be carried out after it was given up. */
  readonly settleMs: number;
  /** The longest wait between two events. */
  readonly pauseMs: number;
}

type Step =
  | { readonly kind: 'link'; readonly at: 0 | 1; readonly vlan: 10 | 20 | undefined; readonly ms: number }
  | { readonly kind: 'restart' | 'look'; readonly at: 0 | 1; readonly ms: number };

interface Script {
  readonly steps: readonly Step[];
  readonly mishaps: readonly (Mishap | undefined)[];
  readonly ends: readonly ('unlink' | 'delete')[];
}

function scripts(pauseMs: number): fc.Arbitrary<Script> {
  const at = fc.constantFrom<0 | 1>(0, 1);
  const ms = fc.nat(pauseMs);
  const vlan = fc.constantFrom(10, 20, undefined);
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('link' as const), at, vlan, ms }) as fc.Arbitrary<Step> },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const), at, ms }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('look' as const), at, ms }) },
  );
  const mishap = fc.option(
    fc.record({ kind: fc.constantFrom('held' as const, 'held' as const, 'lost' as const), ms: fc.nat(600) }),
    { nil: undefined, freq: 1 },
  );
  return fc.record({
    steps: fc.array(step, { minLength: 3, maxLength: 7 }),
    mishaps: fc.array(mishap, { maxLength: 5 }),
    ends: fc.tuple(fc.constantFrom('unlink', 'delete'), fc.constantFrom('unlink', 'delete')),
  });
}

const keys = [`${infra}/socket-1`, `${infra}/socket-2`] as const;
const tags = [undefined, 10, 20] as const;

/** True for a port that says that it is clean. */
function isClean({ metadata, spec, status }: SwitchPort): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
  const isCurrent = status?.observedGeneration === metadata.generation && spec?.configuration === undefined;
  return ready && isCurrent && status?.state === 'Idle' && status.appliedTo !== undefined;
}

const asked = Number(process.env.RACKWRIGHT_INTERLEAVINGS ?? 0);

/** What a suite may take longer for the orders of events that were asked for. */
export const interleavingsMs = asked * 180_000;

/** Links, unlinks, deletes and restarts in any order while changes are under way; the third host is on VLAN 10, the fourth on 20. */
export function describeInterleavings(ovs: () => RealOvs, open: () => SwitchToLiveOn, how: Interleavings): void {
  const { settleMs, pauseMs } = how;
  const count = asked > 0 ? asked : how.count;
  describe(`a port that says clean, in ${count} orders of events`, () => {
    const embedded = embeddedConnection();
    const queue: (Mishap | undefined)[] = [];
    const late = createLateDevices(() => queue.shift());
    let api: Awaited<ReturnType<typeof openApi>>;
    let rig: ControllerRig;
    const start = async (): Promise<void> => {
      const { providers } = open();
      rig = await startControllers(api, {
        providers: { open: (access) => late.open(providers.open(access)) },
        settings: { callMs: 120_000, settleMs, driftMs: 5000 },
      });
    };

    before(async () => {
      api = await openApi(await embedded.connect());
      await putNamespace(api, infra);
      await ovs().vsctl('set', 'port', ovs().ports[2] ?? '', 'tag=10', 'vlan_mode=access');
      await ovs().vsctl('set', 'port', ovs().ports[3] ?? '', 'tag=20', 'vlan_mode=access');
      const { providers: _, ...described } = open();
      await describeSwitch(api, { ...described, sockets: ovs().ports.slice(0, 2) });
      for (const vlan of [10, 20]) await putConfiguration(api, `${infra}/net-${vlan}`, { untaggedVLAN: vlan });
      await start();
      for (const key of keys) await untilState(api, key, 'Idle');
    });
    after(async () => {
      await rig?.stop();
      await late.changes.ended();
      await api?.close();
      await embedded.stop();
    });

    const none = async (at: number, message: string): Promise<void> => {
      for (const tag of tags)
        await ovs().checkFrame(at, tag === undefined ? {} : { tag }, {}, `${message}, tag ${tag}`);
    };
    const play = async (step: Step): Promise<void> => {
      await sleep(step.ms);
      const key = keys[step.at];
      if (step.kind === 'link') {
        await link(api, key, step.vlan === undefined ? undefined : `${infra}/net-${step.vlan}`);
      } else if (step.kind === 'restart') {
        await rig.stop();
        await start();
      } else {
        const seen = await api.ports.get(parseKey(key));
        if (isClean(seen)) await none(step.at, `${key} says clean in the middle`);
      }
    };
    const end = async (at: 0 | 1, how: Script['ends'][number] | undefined): Promise<void> => {
      const key = keys[at];
      if (how === 'unlink') {
        await link(api, key, undefined);
        await until(api.ports, key, isClean);
        return;
      }
      const { metadata } = await api.ports.get(parseKey(key));
      await api.ports.delete(parseKey(key));
      await until(api.ports, key, (port) => port.metadata.uid !== metadata.uid);
    };

    for (const [index, script] of fc.sample(scripts(pauseMs), count).entries()) {
      it(`passes no frame: order ${index + 1}`, async (context) => {
        for (const key of keys) {
          await link(api, key, `${infra}/net-10`);
          await untilState(api, key, 'Active', 'net-10');
        }
        await ovs().checkFrame(0, {}, { 1: 'untagged', 2: 'untagged' });
        queue.push(...script.mishaps);
        for (const step of script.steps) await play(step);
        await Promise.all([end(0, script.ends[0]), end(1, script.ends[1])]);
        const seen = `${JSON.stringify(script)} ends`;
        for (const at of [0, 1]) await none(at, seen);
        // Whatever was given up has been carried out by now.
        await late.changes.ended();
        queue.length = 0;
        for (const at of [0, 1]) await none(at, `${seen}, and all changes have ended`);
        if (late.changes.longestMs > settleMs) context.diagnostic(`a change took ${late.changes.longestMs} ms`);
      });
    }
  });
}

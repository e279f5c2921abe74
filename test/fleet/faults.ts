import type { FaultRule } from '../../simulator/index.ts';
import type { RoleServer, Roles } from './roles.ts';

/** Faulty BMCs, and what is wrong with them. */
export interface FaultPlan {
  readonly faulty: ReadonlySet<string>;
  readonly rules: readonly FaultRule[];
  /** Fails with every image for its BMC until somebody mends it. */
  readonly stuck: RoleServer;
  /** The rules without those of `stuck`. */
  readonly mended: readonly FaultRule[];
}

const minuteMs = 60_000;

type Trouble = Omit<FaultRule, 'machines'>;

/** What operators meet, by whose servers it befalls. */
const troubles: readonly { readonly who: 'steady' | 'edge' | 'alone'; readonly trouble: Trouble }[] = [
  { who: 'steady', trouble: { kind: 'task-completed-critical', component: 'bmc' } },
  { who: 'steady', trouble: { kind: 'task-completed-critical', component: 'bios', times: 1 } },
  { who: 'edge', trouble: { kind: 'connection-reset', rate: 0.05 } },
  { who: 'alone', trouble: { kind: 'slow-answer', rate: 0.2, durationMs: minuteMs } },
  { who: 'steady', trouble: { kind: 'busy', rate: 0.15, durationMs: 1000 } },
  { who: 'edge', trouble: { kind: 'flash-hangs', times: 1, durationMs: 5 * minuteMs } },
  { who: 'alone', trouble: { kind: 'task-vanishes', times: 1 } },
  { who: 'steady', trouble: { kind: 'unreachable-after-flash', times: 1, durationMs: 10 * minuteMs } },
  { who: 'edge', trouble: { kind: 'truncated-json', rate: 0.03 } },
  { who: 'alone', trouble: { kind: 'session-expired', rate: 0.1 } },
];

/** Every twentieth BMC is faulty. */
const share = 1 / 20;

/** Plans the faults of a fleet. Whoever has another part in the run is spared. */
export function planFaults(roles: Roles): FaultPlan {
  const spared = new Set([roles.overridden.name, roles.kept.name]);
  const free = {
    steady: roles.steady.filter(({ name }) => !spared.has(name)),
    edge: roles.edge.filter(({ name }) => !spared.has(name)),
    alone: [...roles.alone],
  };
  const [stuck] = free.steady;
  if (stuck === undefined) throw new Error('nobody is left to be faulty');
  const rules: FaultRule[] = [];
  for (let at = 0; at < Math.ceil(roles.all.length * share); at++) {
    const { who, trouble } = troubles[at % troubles.length] ?? {};
    const victim = who === undefined ? undefined : free[who].shift();
    if (victim !== undefined && trouble !== undefined) rules.push({ ...trouble, machines: victim.name });
  }
  const faulty = new Set(rules.map(({ machines = '' }) => machines));
  return { faulty, rules, stuck, mended: rules.filter(({ machines }) => machines !== stuck.name) };
}

import type { Clock } from '../../../kube/index.ts';
import type { HostIdentity, Outcome } from '../../provisioner.ts';
import { cannedHosts } from './canned-hosts.ts';
import { type DemoRecord, type DemoWork, done } from './demo-record.ts';
import type { DemoPace, DemoScript, DemoStep } from './pace.ts';

/** How demo hosts behave. */
export interface DemoBehaviour {
  readonly clock: Clock;
  /** How long each step takes where no script says otherwise. */
  readonly pace: DemoPace;
  readonly script: DemoScript | undefined;
  /** How long to wait until it is asked again. */
  readonly pollMs: number;
}

/** A step that was asked for. */
export interface StepOrder {
  readonly step: DemoStep;
  readonly isRetry: boolean;
  /** Ends what is under way. */
  readonly isForced?: boolean;
  /** Ends whatever else is under way, and leaves it half done. */
  readonly endsOthers?: true;
  /** Whether it is so already, as long as nothing is under way. */
  isDone(): boolean;
  finish(): void;
}

/** Begins a step, sees it on its way, or to its end. */
export function takeStep(behaviour: DemoBehaviour, host: HostIdentity, record: DemoRecord, order: StepOrder): Outcome {
  // Registering changes nothing on the host.
  if (record.maintenance !== undefined && order.step !== 'register') {
    return { kind: 'busy', afterMs: behaviour.pollMs, message: `the host is in maintenance: ${record.maintenance}` };
  }
  if (order.isForced === true) record.work = undefined;
  if (order.endsOthers === true && record.work?.step !== order.step) giveUp(record);
  if (record.work !== undefined && record.work.step !== order.step) {
    const isOver = goOn(behaviour, record, record.work).kind !== 'continue';
    if (!isOver) return { kind: 'busy', afterMs: behaviour.pollMs, message: `the host is at ${record.work?.step}` };
  }
  if (record.work === undefined) {
    if (record.failure?.step === order.step && !order.isRetry)
      return { kind: 'failed', message: record.failure.message };
    if (record.failure?.step === order.step) record.failure = undefined;
    else if (order.isDone()) return done;
    return begin(behaviour, host, record, order);
  }
  return goOn(behaviour, record, record.work);
}

function giveUp(record: DemoRecord): void {
  // Half a system is neither there nor not.
  if (record.work?.step === 'provision') record.use = undefined;
  record.work = undefined;
}

function begin(behaviour: DemoBehaviour, host: HostIdentity, record: DemoRecord, order: StepOrder): Outcome {
  const { step, finish } = order;
  const attempt = (record.attempts[step] ?? 0) + 1;
  record.attempts[step] = attempt;
  const asked = { namespace: host.namespace, name: host.name, step, attempt };
  const canned = Object.hasOwn(cannedHosts, host.name) ? cannedHosts[host.name] : undefined;
  const turn = { ...behaviour.script?.(asked), ...canned?.(asked) };
  const pace = turn.pace ?? behaviour.pace;
  record.work = { step, pace, failure: turn.failure, sinceMs: behaviour.clock.monotonic(), asked: 0, finish };
  const outcome = goOn(behaviour, record, record.work);
  return outcome.kind === 'continue' ? { ...outcome, hasStarted: true } : outcome;
}

function goOn(behaviour: DemoBehaviour, record: DemoRecord, work: DemoWork): Outcome {
  const leftMs = timeLeft(behaviour, work);
  work.asked += 1;
  if (leftMs !== undefined) return { kind: 'continue', afterMs: leftMs };
  record.work = undefined;
  if (work.failure !== undefined) {
    record.failure = { step: work.step, message: work.failure };
    return { kind: 'failed', message: work.failure };
  }
  work.finish();
  return done;
}

/** How long until it is worth asking again; undefined when its time has passed. */
function timeLeft({ clock, pollMs }: DemoBehaviour, { pace, asked, sinceMs }: DemoWork): number | undefined {
  switch (pace.kind) {
    case 'instant':
      return undefined;
    case 'never':
      return pollMs;
    case 'calls':
      return asked >= pace.count ? undefined : pollMs;
    case 'time': {
      const left = pace.ms - (clock.monotonic() - sinceMs);
      return left > 0 ? Math.ceil(left) : undefined;
    }
  }
}

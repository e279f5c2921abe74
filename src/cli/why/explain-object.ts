import type { ConditionRecord } from '../../conditionorc/index.ts';
import type { Advice } from '../../firmware/index.ts';
import { type AnyKubeObject, formatKey } from '../../kube/index.ts';
import type { HostPlanned, PortPlanned } from '../../network/index.ts';
import { sentenceOfWork } from '../install-service/conditions.ts';
import { type ShownEvent, timeOf } from '../objects/order-events.ts';
import { explainHost } from './explain-host.ts';

/** What is known of an object when it is asked why it is as it is. */
export interface ObjectSeen {
  readonly object: AnyKubeObject;
  readonly events: readonly ShownEvent[];
  /** Work on its machine, newest first. */
  readonly work: readonly ConditionRecord[];
  /** What its switch ports are waiting for, where it has some. */
  readonly network: HostPlanned | undefined;
  /** What would be done to it, where it is a port. */
  readonly port: PortPlanned | undefined;
}

/** Why an object is as it is, as `rackwright why -o json` prints it. */
export interface ObjectExplanation {
  /** `BareMetalHost simulated/r01-s01`. */
  readonly about: string;
  readonly state: string;
  /** State, reason, what it waits for. */
  readonly sentences: readonly string[];
  readonly conditions: readonly ToldCondition[];
  readonly events: readonly {
    readonly type: string;
    readonly reason: string;
    readonly message: string;
    readonly lastSeen: string;
  }[];
  readonly advice: readonly Advice[];
}

/** A condition that has something to say. */
export interface ToldCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

/** What an explanation begins with, of each kind. */
export interface Beginning {
  readonly state: string;
  readonly sentences: readonly string[];
  readonly advice: readonly Advice[];
}

const mostEvents = 5;

/** Explains an object of any kind; of hosts and ports more is known than of others. */
export function explainObject(seen: ObjectSeen): ObjectExplanation {
  const { object, events, work } = seen;
  const about = nameOf(object);
  const { state, sentences, advice } = beginningOf(seen, about);
  const waiting = work.filter(({ finalized_at: end }) => end === null).map(sentenceOfWork);
  const word = wordOf(object);
  return {
    about,
    state,
    sentences: [...sentences, ...deletionOf(object), ...waiting],
    conditions: conditionsOf(object),
    events: events.slice(-mostEvents).map((event) => ({
      ...{ type: event.type ?? '', reason: event.reason ?? '', message: event.message ?? '', lastSeen: timeOf(event) },
    })),
    advice: [...advice, { command: `rackwright describe ${word}`, purpose: 'see all of it' }],
  };
}

function beginningOf(seen: ObjectSeen, about: string): Beginning {
  switch (seen.object.kind) {
    case 'BareMetalHost':
      return explainHost(seen, about);
    case 'SwitchPort':
      return explainPort(seen, about);
    default:
      return explainAny(seen, about);
  }
}

function explainPort({ object, port }: ObjectSeen, about: string): Beginning {
  const {
    state = 'new',
    error,
    hostRef,
  } = (object.status ?? {}) as {
    readonly state?: string;
    readonly hostRef?: { readonly namespace: string; readonly name: string };
    readonly error?: { readonly reason?: string; readonly message?: string; readonly since?: string };
  };
  // People of one namespace may read the port and not its host.
  const host = port?.host ?? (hostRef === undefined ? undefined : formatKey(hostRef));
  const { namespace, name = '' } = object.metadata ?? {};
  const outcomes = {
    change: 'The switch would be changed now.',
    clean: 'The port would be cleaned now.',
    blocked: 'Something keeps it from what is wanted.',
    unread: 'Nobody has read the switch yet, so that nobody knows how it is.',
    settled: 'It is as it should be: nothing is waited for.',
  };
  const failing =
    error?.reason === undefined
      ? []
      : [`It is in error since ${error.since ?? 'some time'}: ${error.message ?? error.reason}.`];
  return {
    state,
    sentences: [
      `${about} is ${state}.`,
      ...failing,
      ...(port === undefined ? [] : [outcomes[port.outcome]]),
      ...(port?.reason === undefined ? [] : [`${port.reason.code}: ${port.reason.message}`]),
      host === undefined ? 'No host names it.' : `Its host is ${host}.`,
    ],
    advice: [
      {
        command: `rackwright plan network ${namespace === undefined ? name : `${namespace}/${name}`}`,
        purpose: 'see what would be changed',
      },
    ],
  };
}

/** Machines, switches and everything else: state and phase, and conditions that are not as they should be. */
function explainAny({ object }: ObjectSeen, about: string): Beginning {
  const status = (object.status ?? {}) as Readonly<Record<string, unknown>>;
  const found = [status.state, status.phase].find((each) => typeof each === 'string' && each !== '');
  const ready = conditionsIn(object).find(({ type }) => type === 'Ready' || type === 'Available');
  const state = typeof found === 'string' ? found : ready === undefined ? 'unknown' : `${ready.type}=${ready.status}`;
  const failure = [status.errorMessage, status.failureMessage].find((each) => typeof each === 'string' && each !== '');
  const host = object.metadata?.annotations?.['metal3.io/BareMetalHost'];
  return {
    state,
    sentences: [
      `${about} is ${state}.`,
      ...(ready !== undefined && ready.status !== 'True' && ready.message !== ''
        ? [`${ready.reason}: ${ready.message}`]
        : []),
      ...(failure === undefined ? [] : [`It failed: ${String(failure)}`]),
      ...(host === undefined ? [] : [`Its host is ${host}.`]),
    ],
    advice: host === undefined ? [] : [{ command: whyHost(host), purpose: 'see why its host is as it is' }],
  };
}

function whyHost(key: string): string {
  const [namespace = '', name = ''] = key.split('/');
  return `rackwright why bmh/${name} -n ${namespace}`;
}

function deletionOf({ metadata }: AnyKubeObject): string[] {
  if (metadata?.deletionTimestamp === undefined) return [];
  const held = (metadata.finalizers ?? []).join(', ');
  return [`It is being deleted since ${metadata.deletionTimestamp}${held === '' ? '' : `, held by ${held}`}.`];
}

function conditionsIn({ status }: AnyKubeObject): ToldCondition[] {
  const { conditions = [] } = (status ?? {}) as { readonly conditions?: readonly Partial<ToldCondition>[] };
  return conditions.map(({ type = '', status: is = '', reason = '', message = '', lastTransitionTime = '' }) => ({
    ...{ type, status: is, reason, message, lastTransitionTime },
  }));
}

/** Those that say something. */
function conditionsOf(object: AnyKubeObject): ToldCondition[] {
  return conditionsIn(object).filter(({ message }) => message !== '');
}

/** `BareMetalHost simulated/r01-s01`. */
function nameOf({ kind, metadata }: AnyKubeObject): string {
  const name = metadata?.namespace === undefined ? metadata?.name : `${metadata.namespace}/${metadata.name}`;
  return `${kind ?? 'Object'} ${name ?? ''}`;
}

/** As it is named on a command line. */
function wordOf({ kind = '', metadata }: AnyKubeObject): string {
  const where = metadata?.namespace === undefined ? '' : ` -n ${metadata.namespace}`;
  return `${kind.toLowerCase()}/${metadata?.name ?? ''}${where}`;
}

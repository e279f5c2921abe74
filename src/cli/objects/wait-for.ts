import {
  type AnyKubeObject,
  isAborted,
  isNotFound,
  KubeError,
  type ObjectKey,
  type ResourceClient,
  sleep,
  systemClock,
} from '../../kube/index.ts';
import type { JsonObject } from '../../schema/index.ts';
import { CliError, usageError } from '../errors.ts';
import { compileTemplate } from '../output/output-form.ts';

/** What an object is waited for to become. */
export interface AwaitedCondition {
  /** As it was typed, for messages. */
  readonly text: string;
  /** True when the object need not be there at the start. */
  readonly mayBeAbsent: boolean;
  /** Looks at the object; undefined when there is none. */
  isMet(object: AnyKubeObject | undefined): boolean;
}

/** Reads `condition=NAME[=VALUE]`, `jsonpath=PATH[=VALUE]`, `create` or `delete`. */
export function readCondition(text: string): AwaitedCondition {
  if (text === 'create') return { text, mayBeAbsent: true, isMet: (object) => object !== undefined };
  if (text === 'delete') return { text, mayBeAbsent: true, isMet: awaitDeletion() };
  if (text.startsWith('condition=')) return readStatusCondition(text);
  if (text.startsWith('jsonpath=')) return readJsonPathCondition(text);
  throw usageError(`--for=${text}: there are condition=NAME[=VALUE], jsonpath=PATH[=VALUE], create and delete`);
}

/** An object of the same name made anew is another one, so the first is gone. */
function awaitDeletion(): AwaitedCondition['isMet'] {
  let uid: string | undefined;
  return (object) => {
    uid ??= object?.metadata?.uid;
    return object === undefined || object.metadata?.uid !== uid;
  };
}

interface StatusCondition {
  readonly type?: string;
  readonly status?: string;
  readonly observedGeneration?: number;
}

function readStatusCondition(text: string): AwaitedCondition {
  const [name = '', value = 'True'] = text.slice('condition='.length).split('=');
  if (name === '') throw usageError(`--for=${text}: the name of a condition is missing`);
  return {
    text,
    mayBeAbsent: false,
    isMet(object) {
      const status = object?.status as { conditions?: StatusCondition[]; observedGeneration?: number } | undefined;
      const found = status?.conditions?.find(({ type }) => type?.toLowerCase() === name.toLowerCase());
      if (found === undefined) return false;
      // A condition that was judged on an older spec says nothing about this one.
      const observed = found.observedGeneration ?? status?.observedGeneration;
      if (observed !== undefined && observed < (object?.metadata?.generation ?? 0)) return false;
      return found.status?.toLowerCase() === value.toLowerCase();
    },
  };
}

function readJsonPathCondition(text: string): AwaitedCondition {
  const rest = text.slice('jsonpath='.length);
  const braced = /^(\{.*\})(?:=(.*))?$/s.exec(rest) ?? /^([^=]*)(?:=(.*))?$/s.exec(rest);
  const read = compileTemplate(braced?.[1] ?? '');
  const wanted = braced?.[2]?.replace(/^(['"])(.*)\1$/s, '$2');
  return {
    text,
    mayBeAbsent: false,
    isMet(object) {
      if (object === undefined) return false;
      const found = read(object as unknown as JsonObject);
      return wanted === undefined ? found !== '' : found === wanted;
    },
  };
}

/** Which object is waited for. */
export interface AwaitedObject {
  readonly client: ResourceClient<AnyKubeObject>;
  readonly key: ObjectKey;
}

/**
 * Waits until a condition is met; throws when time is up, or when an object that must be there is not. Without any time
 * it looks once, however long the answer takes.
 */
export async function waitForObject(
  awaited: AwaitedObject,
  condition: AwaitedCondition,
  options: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<void> {
  const timedOut = (cause?: unknown): CliError => {
    const what = `${awaited.client.ref.resource}/${awaited.key.name}`;
    return new CliError('timed-out', `timed out waiting for ${condition.text} on ${what}`, { cause });
  };
  if (options.timeoutMs === 0) {
    if ((await look(awaited, condition, options.signal)).isMet) return;
    throw timedOut();
  }
  const limit = new AbortController();
  const timer = systemClock.after(options.timeoutMs, () => limit.abort());
  const signal = AbortSignal.any([limit.signal, options.signal]);
  try {
    await follow(awaited, condition, signal);
  } catch (error) {
    if (!limit.signal.aborted || options.signal.aborted || !isAborted(error)) throw error;
    throw timedOut(error);
  } finally {
    timer.cancel();
  }
}

async function follow(awaited: AwaitedObject, condition: AwaitedCondition, signal: AbortSignal): Promise<void> {
  for (let hasAnswered = false; ; ) {
    try {
      const seen = await look(awaited, condition, signal, { mayBeAbsent: hasAnswered });
      if (seen.isMet) return;
      hasAnswered = true;
      const { resourceVersion } = seen;
      for await (const { type, object } of awaited.client.watch({ ...selectionOf(awaited, signal), resourceVersion })) {
        if (type === 'BOOKMARK') continue;
        if (condition.isMet(type === 'DELETED' ? undefined : object)) return;
      }
    } catch (error) {
      // A server that is restarted meanwhile is waited for as well; one that never answered is not.
      const isWorthAnother = hasAnswered && error instanceof KubeError && error.retry === 'transient';
      if (isAborted(error) || isNotFound(error) || !isWorthAnother) throw error;
      await sleep(systemClock, 500, signal);
    }
  }
}

async function look(
  awaited: AwaitedObject,
  condition: AwaitedCondition,
  signal: AbortSignal,
  { mayBeAbsent } = { mayBeAbsent: false },
): Promise<{ readonly isMet: boolean; readonly resourceVersion: string | undefined }> {
  const { client, key } = awaited;
  const { items, resourceVersion } = await client.list(selectionOf(awaited, signal));
  const [object] = items;
  const isMet = condition.isMet(object);
  // Says "not found" in the server's own words.
  const isMissing = object === undefined && !isMet && !mayBeAbsent && !condition.mayBeAbsent;
  if (isMissing) await client.get(key, { signal });
  return { isMet, resourceVersion };
}

function selectionOf({ key }: AwaitedObject, signal: AbortSignal) {
  return { namespace: key.namespace, fieldSelector: `metadata.name=${key.name}`, signal };
}

import type { Json, JsonObject } from '../../schema/index.ts';
import type { KubeObject } from '../object.ts';

/** What an event speaks of. */
export interface ObjectReference {
  apiVersion?: string;
  kind?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  resourceVersion?: string;
  fieldPath?: string;
}

/** v1 Event, the form in which all events are stored. */
export interface Event extends KubeObject {
  involvedObject?: ObjectReference;
  related?: ObjectReference;
  reason?: string;
  message?: string;
  type?: string;
  action?: string;
  count?: number;
  source?: { component?: string; host?: string };
  firstTimestamp?: string | null;
  lastTimestamp?: string | null;
  eventTime?: string | null;
  reportingComponent?: string;
  reportingInstance?: string;
  series?: { count?: number; lastObservedTime?: string | null };
}

/** Where events are stored. */
export const eventBucket = '/events';

/** The older and the newer name of each field that has two. */
const renamed: readonly (readonly [string, string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
];
const toNewer = new Map(renamed);
const toOlder = new Map(renamed.map(([older, newer]) => [newer, older] as const));

/** An events.k8s.io/v1 Event as a v1 Event. */
export function toCoreEvent(event: JsonObject): JsonObject {
  const core: JsonObject = { reportingComponent: '', reportingInstance: '' };
  for (const [key, value] of Object.entries(event)) core[toOlder.get(key) ?? key] = value;
  core.apiVersion = 'v1';
  return core;
}

/** A v1 Event as an events.k8s.io/v1 Event, which leaves empty texts out. */
export function fromCoreEvent(core: JsonObject): JsonObject {
  const event: JsonObject = {};
  for (const [key, value] of Object.entries(core)) {
    if (isLeftOut(key, value)) continue;
    event[toNewer.get(key) ?? key] = value;
  }
  event.apiVersion = 'events.k8s.io/v1';
  return event;
}

function isLeftOut(key: string, value: Json): boolean {
  return value === '' && (key === 'reportingComponent' || key === 'reportingInstance');
}

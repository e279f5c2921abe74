import { ageText } from '../../kube/index.ts';
import type { JsonSchema } from '../../schema/index.ts';
import { asJson, asKubeObject, type KubeObject } from '../object.ts';
import type { BuiltinResource, Strategy, TablePrinter } from '../resource.ts';
import { type Event, eventBucket, fromCoreEvent, toCoreEvent } from './event-object.ts';
import { type EventApi, eventFaults, eventUpdateFaults } from './event-validation.ts';
import { nameColumn, textColumn } from './table.ts';

const asCore = (object: KubeObject): Event =>
  object.apiVersion === 'v1' ? object : asKubeObject(toCoreEvent(asJson(object)));

/** Field selectors by the names of the core API; they read the stored form. */
const coreFields: Record<string, (event: Event) => string> = {
  'involvedObject.kind': (event) => event.involvedObject?.kind ?? '',
  'involvedObject.namespace': (event) => event.involvedObject?.namespace ?? '',
  'involvedObject.name': (event) => event.involvedObject?.name ?? '',
  'involvedObject.uid': (event) => event.involvedObject?.uid ?? '',
  'involvedObject.apiVersion': (event) => event.involvedObject?.apiVersion ?? '',
  'involvedObject.resourceVersion': (event) => event.involvedObject?.resourceVersion ?? '',
  'involvedObject.fieldPath': (event) => event.involvedObject?.fieldPath ?? '',
  reason: (event) => event.reason ?? '',
  reportingComponent: (event) => event.reportingComponent ?? '',
  source: (event) => event.source?.component ?? event.reportingComponent ?? '',
  type: (event) => event.type ?? '',
};

function fieldsOf(api: EventApi): NonNullable<Strategy['selectableFields']> {
  const named = Object.entries(coreFields).map(([name, read]) => {
    const newer = name.replace(/^involvedObject/, 'regarding').replace('reportingComponent', 'reportingController');
    return [api === 'core' ? name : newer, read] as const;
  });
  return Object.fromEntries(named.filter(([name]) => api === 'core' || name !== 'source'));
}

function strategyOf(api: EventApi): Strategy {
  return {
    validate: (event) => eventFaults(asCore(event), api),
    validateUpdate: (event, old) => eventUpdateFaults(asCore(event), asCore(old), api),
    selectableFields: fieldsOf(api),
  };
}

function sinceText(time: string | null | undefined, now: Date): string {
  return time === undefined || time === null || time === '' ? '<unknown>' : ageText(time, now);
}

function sourceOf(event: Event): string {
  const who = event.source?.component || event.reportingComponent || '';
  const where = event.source?.host || event.reportingInstance || '';
  return where === '' ? who : `${who}, ${where}`;
}

function rowOf(event: Event, now: Date): unknown[] {
  const about = event.involvedObject ?? {};
  const kind = (about.kind ?? '').toLowerCase();
  const first = sinceText(event.firstTimestamp ?? event.eventTime, now);
  const last = event.series === undefined ? event.lastTimestamp : event.series.lastObservedTime;
  const count = event.series?.count ?? (event.count === undefined || event.count === 0 ? 1 : event.count);
  return [
    (last ?? null) === null && event.series === undefined ? first : sinceText(last, now),
    event.type ?? '',
    event.reason ?? '',
    (about.name ?? '') === '' ? kind : `${kind}/${about.name}`,
    about.fieldPath ?? '',
    sourceOf(event),
    (event.message ?? '').trim(),
    first,
    count,
    event.metadata.name,
  ];
}

const table: TablePrinter = {
  columns: [
    textColumn('Last Seen', 'How long ago it happened last.'),
    textColumn('Type', 'Normal or Warning.'),
    textColumn('Reason', 'Why, in one word.'),
    textColumn('Object', 'What it happened to.'),
    textColumn('Subobject', 'Which part of it.', 1),
    textColumn('Source', 'Who saw it.', 1),
    textColumn('Message', 'What happened.'),
    textColumn('First Seen', 'How long ago it happened first.', 1),
    textColumn('Count', 'How often it happened.', 1),
    { ...nameColumn, priority: 1 },
  ],
  row: (object, now) => rowOf(asCore(object), now),
};

const names = {
  version: 'v1',
  resource: 'events',
  singular: 'event',
  kind: 'Event',
  namespaced: true,
  shortNames: ['ev'],
  hasStatus: false,
  allowsCreateOnUpdate: true,
  table,
} as const;

/** Events of the core API. kube-apiserver checks their names only as parts of a path: Metal3's operator relies on it. */
export function coreEvents(schema: JsonSchema): BuiltinResource {
  return { ...names, group: '', nameRule: 'path-segment', schema, strategy: strategyOf('core') };
}

/** The same events through events.k8s.io. */
export function newerEvents(schema: JsonSchema): BuiltinResource {
  return {
    ...names,
    group: 'events.k8s.io',
    nameRule: 'dns-subdomain',
    schema,
    strategy: strategyOf('events'),
    aliasOf: { bucket: eventBucket, toStored: toCoreEvent, fromStored: fromCoreEvent },
  };
}

import { type FieldError, invalidError, type Json, qualifiedNameFaults, requiredError } from '../../schema/index.ts';
import { changeFaults } from './checks.ts';
import type { Event } from './event-object.ts';

/** Which of the two event APIs a request came through; the newer one is stricter. */
export type EventApi = 'core' | 'events';

/** What is wrong with an event about to be stored. */
export function eventFaults(event: Event, api: EventApi): FieldError[] {
  const errors = isNewStyle(event) ? newStyleFaults(event, api) : namespaceFaults(event);
  return api === 'core' ? errors : [...errors, ...strictFaults(event)];
}

function isNewStyle(event: Event): boolean {
  return (event.eventTime ?? '') !== '';
}

function namespaceFaults(event: Event): FieldError[] {
  const about = event.involvedObject?.namespace ?? '';
  const own = event.metadata.namespace ?? '';
  const fits = about === '' ? own === '' || own === 'default' : about === own;
  return fits ? [] : [invalidError('involvedObject.namespace', about, 'does not match event.namespace')];
}

function newStyleFaults(event: Event, api: EventApi): FieldError[] {
  const errors: FieldError[] = [];
  const about = event.involvedObject?.namespace ?? '';
  if (about === '' && !['default', 'kube-system'].includes(event.metadata.namespace ?? '')) {
    errors.push(invalidError('involvedObject.namespace', about, 'does not match event.namespace'));
  }
  const reporter = event.reportingComponent ?? '';
  const field = api === 'core' ? 'reportingComponent' : 'reportingController';
  if (reporter === '') errors.push(requiredError(field));
  for (const fault of qualifiedNameFaults(reporter)) errors.push(invalidError(field, reporter, fault));
  errors.push(...textFaults(event.reportingInstance, 'reportingInstance', { max: 128, isRequired: true }));
  errors.push(...textFaults(event.action, 'action', { max: 128, isRequired: true }));
  errors.push(...textFaults(event.reason, 'reason', { max: 128, isRequired: true }));
  errors.push(...textFaults(event.message, 'message', { max: 1024, isRequired: false }));
  return errors;
}

function textFaults(value = '', field: string, rule: { max: number; isRequired: boolean }): FieldError[] {
  if (value === '') return rule.isRequired ? [requiredError(field)] : [];
  return value.length > rule.max ? [invalidError(field, '', `can have at most ${rule.max} characters`)] : [];
}

function strictFaults(event: Event): FieldError[] {
  const errors = seriesFaults(event);
  if (!isNewStyle(event)) errors.push(requiredError('eventTime'));
  const type = event.type ?? '';
  if (type !== 'Normal' && type !== 'Warning') errors.push(invalidError('type', '', `has invalid value: ${type}`));
  const isSet: Record<string, boolean> = {
    firstTimestamp: (event.firstTimestamp ?? null) !== null,
    lastTimestamp: (event.lastTimestamp ?? null) !== null,
    count: (event.count ?? 0) !== 0,
    source: (event.source?.component ?? '') !== '' || (event.source?.host ?? '') !== '',
  };
  for (const [field, is] of Object.entries(isSet)) if (is) errors.push(invalidError(field, '', 'needs to be unset'));
  return errors;
}

function seriesFaults({ series }: Event): FieldError[] {
  if (series === undefined) return [];
  const errors: FieldError[] = [];
  if ((series.count ?? 0) < 2) errors.push(invalidError('series.count', '', 'should be at least 2'));
  if ((series.lastObservedTime ?? null) === null) errors.push(requiredError('series.lastObservedTime'));
  return errors;
}

const fixedFields = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'type',
  'eventTime',
  'action',
  'related',
  'reportingInstance',
];

/** What is wrong with a changed event; the newer API lets only the series grow. */
export function eventUpdateFaults(event: Event, old: Event, api: EventApi): FieldError[] {
  const errors = isNewStyle(event) ? newStyleFaults(event, api) : namespaceFaults(event);
  if (api === 'core') return errors;
  if (JSON.stringify(event.series) !== JSON.stringify(old.series)) errors.push(...seriesFaults(event));
  for (const field of fixedFields) errors.push(...changeFaults(field, event[field] as Json, old[field] as Json));
  const reporter = event.reportingComponent;
  return [...errors, ...changeFaults('reportingController', reporter, old.reportingComponent)];
}

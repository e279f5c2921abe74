import type { Command } from 'commander';
import { type AnyKubeObject, isForbidden, type ServedResource } from '../../kube/index.ts';
import { yamlText } from '../output/show.ts';
import type { Terminal } from '../terminal.ts';
import { addChoiceFlags, type ChoiceFlags, chooseObjects } from './choose-objects.ts';
import { componentOf, orderEvents, type ShownEvent, timeOf } from './order-events.ts';
import { addSessionFlags, type Session, type SessionFlags, withSession } from './session.ts';
import { formatGrid } from './table.ts';

/** Adds `rackwright describe`. */
export function addDescribeCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('describe')
    .summary('show an object with its conditions and events')
    .description('Shows objects with their conditions and what happened to them. Secrets show only how long they are.')
    .argument('[what...]', 'TYPE NAME ... or TYPE/NAME ...')
    .action((words: string[], flags: SessionFlags & ChoiceFlags) =>
      withSession(flags, terminal, async (session) => {
        const chosen = await chooseObjects(words, flags, session, terminal);
        if (chosen.length === 0) terminal.err('No resources found\n');
        for (const [index, { resource, key }] of chosen.entries()) {
          const object = await session.client.resource<AnyKubeObject>(resource).get(key);
          const events = await readVisibleEvents(object, session, terminal);
          terminal.out(`${index === 0 ? '' : '\n'}${describeObject(object, { resource, events })}`);
        }
      }),
    );
  addChoiceFlags(command);
  addSessionFlags(command);
}

/** What was told of an object, oldest first. */
export async function readEvents(
  { metadata }: Pick<AnyKubeObject, 'metadata'>,
  { client }: Session,
): Promise<ShownEvent[]> {
  const events = { group: '', version: 'v1', resource: 'events', namespaced: true, kind: 'Event' };
  const { items } = await client.resource<ShownEvent>(events).list({
    namespace: metadata?.namespace ?? 'default',
    fieldSelector: `involvedObject.uid=${metadata?.uid ?? ''}`,
  });
  return orderEvents(items);
}

/** The same for people who may not read events: they are warned, and get the rest. */
export async function readVisibleEvents(
  object: Pick<AnyKubeObject, 'metadata'>,
  session: Session,
  terminal: Pick<Terminal, 'err'>,
): Promise<ShownEvent[]> {
  try {
    return await readEvents(object, session);
  } catch (error) {
    if (!isForbidden(error)) throw error;
    terminal.err(`Warning: events in ${object.metadata?.namespace ?? 'default'} may not be read\n`);
    return [];
  }
}

/** The page of one object. */
export function describeObject(
  object: AnyKubeObject,
  { resource, events }: { resource: Pick<ServedResource, 'group'>; events: readonly ShownEvent[] },
): string {
  const { apiVersion, kind, metadata, status, ...rest } = object;
  const { conditions, ...otherStatus } = (status ?? {}) as { conditions?: AnyKubeObject[] };
  const head: [string, string][] = [
    ['Name', metadata?.name ?? ''],
    ...(metadata?.namespace === undefined ? [] : ([['Namespace', metadata.namespace]] as [string, string][])),
    ['Kind', `${kind ?? ''} (${apiVersion ?? ''})`],
    ['Labels', pairs(metadata?.labels)],
    ['Annotations', pairs(withoutLastApplied(metadata?.annotations))],
    ['Created', metadata?.creationTimestamp ?? ''],
    ...(metadata?.deletionTimestamp === undefined
      ? []
      : ([
          ['Being deleted', `since ${metadata.deletionTimestamp}, held by ${(metadata.finalizers ?? []).join(', ')}`],
        ] as [string, string][])),
  ];
  const body = {
    ...withoutSecrets(rest, kind ?? '', resource.group),
    ...(isEmpty(otherStatus) ? {} : { status: otherStatus }),
  };
  return [
    ...head.map(([name, value]) => `${`${name}:`.padEnd(15)}${value}\n`),
    isEmpty(body) ? '' : yamlText(body),
    conditionsText(conditions ?? []),
    eventsText(events),
  ].join('');
}

/** It repeats the object as it was applied, a Secret in clear text. kubectl leaves it out, too. */
function withoutLastApplied(annotations: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { 'kubectl.kubernetes.io/last-applied-configuration': _, ...others } = annotations;
  return others;
}

function pairs(map: Readonly<Record<string, string>> | undefined): string {
  const entries = Object.entries(map ?? {});
  return entries.length === 0 ? '<none>' : entries.map(([key, value]) => `${key}=${value}`).join(', ');
}

function isEmpty(object: object): boolean {
  return Object.keys(object).length === 0;
}

/** What a Secret holds is for those who ask for it by name, not for whoever looks over a shoulder. */
function withoutSecrets(
  fields: Readonly<Record<string, unknown>>,
  kind: string,
  group: string,
): Record<string, unknown> {
  const isSecret = (kind === 'Secret' && group === '') || kind === 'BMCSecret';
  if (!isSecret) return { ...fields };
  const hide = (map: unknown): Record<string, string> =>
    Object.fromEntries(
      Object.entries((map ?? {}) as Record<string, string>).map(([key, value]) => [
        key,
        `${Buffer.from(value, 'base64').length} bytes`,
      ]),
    );
  const { data, stringData: _, ...others } = fields;
  return { ...others, ...(data === undefined ? {} : { data: hide(data) }) };
}

function conditionsText(conditions: readonly AnyKubeObject[]): string {
  if (conditions.length === 0) return '';
  const rows = conditions.map((each) =>
    ['type', 'status', 'reason', 'lastTransitionTime', 'message'].map((field) => String(each[field] ?? '')),
  );
  const grid = { header: ['CONDITION', 'STATUS', 'REASON', 'SINCE', 'MESSAGE'], rows };
  return `\n${formatGrid(grid, { hasHeader: true })}`;
}

function eventsText(events: readonly ShownEvent[]): string {
  if (events.length === 0) return '\nNo events.\n';
  const rows = events.map((event) => [
    event.type ?? '',
    event.reason ?? '',
    timeOf(event),
    componentOf(event),
    (event.count ?? 1) > 1 ? `${event.message ?? ''} (${event.count} times)` : (event.message ?? ''),
  ]);
  return `\n${formatGrid({ header: ['EVENT', 'REASON', 'LAST SEEN', 'FROM', 'MESSAGE'], rows }, { hasHeader: true })}`;
}

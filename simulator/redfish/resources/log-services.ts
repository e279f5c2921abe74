import type { Machine } from '../../machine/machine.ts';
import type { Handler, JsonObject, RedfishRequest, Route } from '../route.ts';
import { refuseMissing } from './errors.ts';
import { ownRoutes } from './own-routes.ts';
import { root } from './paths.ts';
import { collection, head, healthy, link, show, toDateTime } from './render.ts';

/** How many of the latest entries a log shows. */
const shownEntries = 10;

/** The logs of the system and of the manager: the latest of what happened to the machine. */
export const logServiceRoutes: readonly Route[] = ownRoutes([
  ...logRoutes(`${root}/Systems/:system`, ({ personality }) => personality.ids.systemLog ?? 'SEL'),
  ...logRoutes(`${root}/Managers/:manager`, ({ personality }) => personality.ids.managerLog ?? 'Log1'),
]);

function logRoutes(parent: string, idOf: (machine: Machine) => string): Route[] {
  const pattern = `${parent}/LogServices`;
  const ofLog = (handler: Handler): Handler => {
    return (request) => (request.params.log === idOf(request.machine) ? handler(request) : refuseMissing(request.path));
  };
  return [
    {
      pattern,
      get: ({ machine, path }) => collection({ path, of: 'LogService' }, [`${path}/${idOf(machine)}`]),
    },
    {
      pattern: `${pattern}/:log`,
      get: ofLog((request) => show(request, 'LogService', renderLog(request, idOf(request.machine)))),
    },
    {
      pattern: `${pattern}/:log/Entries`,
      get: ofLog(({ machine, path }) =>
        collection(
          { path, of: 'LogEntry' },
          latest(machine).map((index) => `${path}/${index + 1}`),
        ),
      ),
    },
    {
      pattern: `${pattern}/:log/Entries/:entry`,
      get: ofLog((request) => {
        const entry = renderEntry(request);
        return entry === undefined ? refuseMissing(request.path) : show(request, 'LogEntry', entry);
      }),
    },
  ];
}

function latest({ log }: Machine): number[] {
  const count = log.events.length;
  return Array.from({ length: Math.min(count, shownEntries) }, (_, index) => count - 1 - index);
}

function renderLog({ machine, path }: RedfishRequest, id: string): JsonObject {
  return {
    ...head({ path, schema: 'LogService.v1_1_3', id, name: `Log ${id}` }),
    ServiceEnabled: true,
    MaxNumberOfRecords: 1024,
    OverWritePolicy: 'WrapsWhenFull',
    DateTime: toDateTime(machine.manager.now()),
    DateTimeLocalOffset: '+00:00',
    LogEntryType: 'Event',
    Entries: link(`${path}/Entries`),
    Status: healthy(),
  };
}

function renderEntry({ machine, path, params }: RedfishRequest): JsonObject | undefined {
  const event = /^\d+$/.test(String(params.entry)) ? machine.log.events[Number(params.entry) - 1] : undefined;
  if (event === undefined) return undefined;
  const switchedOnAt = machine.clock.now() - machine.clock.elapsedMs();
  const id = String(params.entry);
  return {
    ...head({ path, schema: 'LogEntry.v1_6_1', id, name: `Log Entry ${id}` }),
    EntryType: 'Event',
    Severity: 'OK',
    Created: toDateTime(switchedOnAt + event.atMs),
    Message: event.detail === '' ? event.event : `${event.event} ${event.detail}`,
    MessageId: 'Base.1.8.Success',
  };
}

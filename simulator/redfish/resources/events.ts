import type { Machine, Subscription } from '../../machine/machine.ts';
import type { JsonObject, RedfishAnswer, RedfishRequest, Route } from '../route.ts';
import { confirm, type MessageOrder, refuse, refuseMissing } from './errors.ts';
import { root, systemPath } from './paths.ts';
import { collection, head, healthy, isObject, link, show } from './render.ts';
import { notInList, readOnlyMember, say, writeMembers, wrongFormat, wrongType } from './written-members.ts';

const service = `${root}/EventService`;
const registryPrefixes = ['Base', 'ResourceEvent', 'TaskEvent'];
/** What a subscription keeps besides its destination and context, and is shown again. */
const keptMembers = ['EventTypes', 'RegistryPrefixes', 'ResourceTypes', 'EventFormatType', 'SubscriptionType'];

/** EventService and subscriptions; the stream of events is served by the front. */
export const eventRoutes: readonly Route[] = [
  { pattern: service, get: (request) => show(request, 'EventService', renderService(request.machine)) },
  { pattern: `${service}/Actions/EventService.SubmitTestEvent`, post: submitTestEvent },
  {
    pattern: `${service}/Subscriptions`,
    get: ({ machine, path }) =>
      collection(
        { path, of: 'EventDestination' },
        machine.events.subscriptions.map(({ id }) => `${path}/${id}`),
      ),
    post: subscribe,
  },
  {
    pattern: `${service}/Subscriptions/:subscription`,
    get: (request) => {
      const found = findSubscription(request);
      return found === undefined
        ? refuseMissing(request.path)
        : show(request, 'EventDestination', renderSubscription(request.machine, found));
    },
    patch: changeSubscription,
    delete: unsubscribe,
  },
];

function renderService({ personality }: Machine): JsonObject {
  return {
    ...head({ path: service, schema: 'EventService.v1_7_0', id: 'EventService', name: 'Event Service' }),
    ServiceEnabled: true,
    DeliveryRetryAttempts: 3,
    DeliveryRetryIntervalSeconds: 5,
    EventFormatTypes: ['Event'],
    EventTypesForSubscription: ['StatusChange', 'ResourceUpdated', 'ResourceAdded', 'ResourceRemoved', 'Alert'],
    RegistryPrefixes: [...registryPrefixes],
    ResourceTypes: ['ComputerSystem', 'Manager', 'Chassis', 'Task', 'UpdateService'],
    ...(personality.service.hasEventStream && { ServerSentEventUri: `${service}/SSE` }),
    Subscriptions: link(`${service}/Subscriptions`),
    Status: healthy(),
    Actions: {
      '#EventService.SubmitTestEvent': { target: `${service}/Actions/EventService.SubmitTestEvent` },
    },
  };
}

function submitTestEvent({ machine, body }: RedfishRequest): RedfishAnswer {
  const severity = body.Severity ?? body.MessageSeverity;
  machine.events.publish({
    messageId: typeof body.MessageId === 'string' ? body.MessageId : 'ResourceEvent.1.0.TestMessage',
    message: typeof body.Message === 'string' ? body.Message : 'Test event.',
    severity: severity === 'Critical' || severity === 'Warning' ? severity : 'OK',
    origin: typeof body.OriginOfCondition === 'string' ? body.OriginOfCondition : systemPath(machine),
  });
  return { status: 204 };
}

function noteOf(id: string): string {
  return `Subscription ${id}`;
}

function renderSubscription(machine: Machine, subscription: Subscription): JsonObject {
  const kept = machine.notes.get(noteOf(subscription.id));
  return {
    ...head({
      path: `${service}/Subscriptions/${subscription.id}`,
      schema: 'EventDestination.v1_10_0',
      id: subscription.id,
      name: `Event Subscription ${subscription.id}`,
    }),
    Destination: subscription.destination,
    Context: subscription.context,
    Protocol: 'Redfish',
    EventFormatType: 'Event',
    SubscriptionType: 'RedfishEvent',
    ...(isObject(kept) && kept),
    Status: healthy(),
  };
}

function findSubscription({ machine, params }: RedfishRequest): Subscription | undefined {
  return machine.events.subscriptions.find(({ id }) => id === params.subscription);
}

function subscribe(request: RedfishRequest): RedfishAnswer {
  const { machine, body } = request;
  const complaint = judgeSubscription(body);
  if (complaint !== undefined) return refuse(400, complaint);
  const subscription = machine.events.subscribe({
    destination: say(body.Destination),
    context: typeof body.Context === 'string' ? body.Context : '',
  });
  if (subscription === 'exhausted') return refuse(400, { messageId: 'CreateLimitReachedForResource' });
  const kept = Object.fromEntries(Object.entries(body).filter(([member]) => keptMembers.includes(member)));
  if (Object.keys(kept).length > 0) machine.notes.set(noteOf(subscription.id), kept);
  return {
    ...show(request, 'EventDestination', renderSubscription(machine, subscription)),
    status: 201,
    headers: { Location: `${service}/Subscriptions/${subscription.id}` },
  };
}

function judgeSubscription({ Destination, Protocol, Context }: JsonObject): MessageOrder | undefined {
  for (const [member, value] of Object.entries({ Destination, Protocol })) {
    if (value === undefined) return { messageId: 'PropertyMissing', args: [member], related: [`#/${member}`] };
  }
  if (Protocol !== 'Redfish') return notInList('Protocol', Protocol);
  if (typeof Destination !== 'string' || !/^https?:\/\/[^/]/i.test(Destination)) {
    return wrongFormat('Destination', Destination);
  }
  return Context === undefined || typeof Context === 'string' ? undefined : wrongType('Context', Context);
}

/** What is sent follows from destination and context; they are fixed when a subscription is made. */
function changeSubscription(request: RedfishRequest): RedfishAnswer {
  const { machine, body, path } = request;
  const subscription = findSubscription(request);
  if (subscription === undefined) return refuseMissing(path);
  const kept = machine.notes.get(noteOf(subscription.id));
  const changed: JsonObject = isObject(kept) ? { ...kept } : {};
  const complaints = writeMembers(body, {
    Destination: () => readOnlyMember('Destination'),
    Context: () => readOnlyMember('Context'),
    Protocol: () => readOnlyMember('Protocol'),
    ...Object.fromEntries(
      keptMembers.map((member) => [
        member,
        (value) => {
          changed[member] = value;
          return undefined;
        },
      ]),
    ),
  });
  if (complaints.length > 0) return refuse(400, complaints);
  machine.notes.set(noteOf(subscription.id), changed);
  return confirm();
}

function unsubscribe({ machine, params, path }: RedfishRequest): RedfishAnswer {
  const id = String(params.subscription);
  machine.notes.delete(noteOf(id));
  return machine.events.unsubscribe(id) ? { status: 204 } : refuseMissing(path);
}

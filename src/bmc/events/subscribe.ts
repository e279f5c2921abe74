import type { Bmc } from '../bmc.ts';
import { BmcError, isBmcError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { linkIn, memberIn, readCollection, textIn, textsIn, toBmcPath } from '../redfish/index.ts';

/** Where events shall be pushed to. */
export interface SubscriptionOrder {
  /** An address of ours that the BMC can reach. */
  readonly destination: string;
  /** Comes back with every event: how we know our own. */
  readonly context: string;
  /** Only events of these, where the BMC can choose; all unless given. */
  readonly resourceTypes?: readonly string[];
  readonly registryPrefixes?: readonly string[];
}

/** A subscription that the BMC keeps. */
export interface Subscription {
  readonly uri: string;
  /** False when it was there already. */
  readonly wasCreated: boolean;
}

/** Asks the BMC to push its events. Asked again, the subscription that is there is found and kept. */
export async function subscribe(bmc: Bmc, order: SubscriptionOrder): Promise<Subscription> {
  const { service, subscriptions } = await readEventService(bmc);
  const existing = await find(bmc, subscriptions, order);
  if (existing !== undefined) return { uri: existing, wasCreated: false };
  try {
    const reply = await bmc.gate.request({ method: 'POST', path: subscriptions, body: bodyFor(service, order) });
    const uri = toBmcPath(reply.headers.location, bmc.gate.origin) ?? toBmcPath(memberIn(reply.body, '@odata.id'));
    if (uri !== undefined) return { uri, wasCreated: true };
  } catch (error) {
    // It may have been made all the same; if so, it is in the list.
    if (!isBmcError(error, 'ambiguous')) throw error;
    const made = await find(bmc, subscriptions, order);
    if (made === undefined) throw error;
    return { uri: made, wasCreated: true };
  }
  const made = await find(bmc, subscriptions, order);
  if (made !== undefined) return { uri: made, wasCreated: true };
  const detail = 'it took the subscription but does not list it';
  throw new BmcError('unsupported', { origin: bmc.gate.origin, what: 'keep a subscription', detail });
}

/** Ends a subscription; one that is not there any more is fine. */
export async function unsubscribe(bmc: Bmc, uri: string): Promise<void> {
  await bmc.gate.request({ method: 'DELETE', path: uri, accept: [404, 410] });
}

async function readEventService(bmc: Bmc): Promise<{ readonly service: JsonObject; readonly subscriptions: string }> {
  const { eventService } = await bmc.root();
  const service =
    eventService === undefined ? {} : (await bmc.gate.request({ method: 'GET', path: eventService })).body;
  const subscriptions = linkIn(service, 'Subscriptions');
  if (subscriptions !== undefined && memberIn(service, 'ServiceEnabled') !== false) return { service, subscriptions };
  const detail = subscriptions === undefined ? 'it has no subscriptions' : 'its event service is switched off';
  throw new BmcError('unsupported', { origin: bmc.gate.origin, what: 'push events', detail });
}

async function find(bmc: Bmc, subscriptions: string, order: SubscriptionOrder): Promise<string | undefined> {
  const { members } = await readCollection(bmc, subscriptions);
  return members.find(
    ({ body }) => textIn(body, 'Destination') === order.destination && textIn(body, 'Context') === order.context,
  )?.path;
}

/** Members are sent only where the service says that it knows them; old ones want a list of event types. */
function bodyFor(service: JsonObject, order: SubscriptionOrder): JsonObject {
  const formats = textsIn(service, 'EventFormatTypes');
  const known = (wanted: readonly string[] | undefined, name: string) => {
    const there = textsIn(service, name);
    return wanted === undefined ? [] : wanted.filter((each) => there.includes(each));
  };
  const resourceTypes = known(order.resourceTypes, 'ResourceTypes');
  const registryPrefixes = known(order.registryPrefixes, 'RegistryPrefixes');
  const oldTypes = formats.length === 0 ? textsIn(service, 'EventTypesForSubscription') : [];
  return {
    Destination: order.destination,
    Context: order.context,
    Protocol: 'Redfish',
    ...(formats.includes('Event') ? { EventFormatType: 'Event' } : {}),
    ...(resourceTypes.length > 0 ? { ResourceTypes: resourceTypes } : {}),
    ...(registryPrefixes.length > 0 ? { RegistryPrefixes: registryPrefixes } : {}),
    ...(oldTypes.length > 0 ? { EventTypes: [...oldTypes] } : {}),
  };
}

import { isSameUuid, type KnownMachine, usableSerial } from '../../bmc/index.ts';
import { inventoryNamespace } from '../../conditionorc/index.ts';
import type { JsonObject } from '../../engine/index.ts';
import { onboardingNamespace } from '../../serverservice/index.ts';

/** What the inventory has of a server. */
export interface NotedServer {
  readonly id: string;
  /** As an inventory has read it, or an operator wrote it. */
  readonly systemUuid?: string | undefined;
  readonly serial?: string | undefined;
  readonly attributes?: readonly Note[] | undefined;
  /** The newest of each. */
  readonly versionedAttributes?: readonly Note[] | undefined;
}

interface Note {
  readonly namespace: string;
  readonly data: JsonObject;
}

/**
 * What a server is known by: the UUID that its record has, or that of its Server object. Whoever enrols a server over REST
 * may give it any id, which counts only where an inventory has read that very UUID.
 */
export function knownMachineOf(server: NotedServer): KnownMachine {
  const { id, systemUuid = '', attributes = [], versionedAttributes = [] } = server;
  const serial = usableSerial(server.serial);
  const isOnboarded = attributes.some(({ namespace }) => namespace === onboardingNamespace);
  const uuids = versionedAttributes.flatMap(({ namespace, data }) =>
    namespace === inventoryNamespace ? uuidIn(data) : [],
  );
  const isOwn = isOnboarded || uuids.some((uuid) => isSameUuid(uuid, id));
  const uuid = isOwn ? id : systemUuid;
  return { ...(uuid === '' ? {} : { uuid }), ...(serial === undefined ? {} : { serial }) };
}

function uuidIn({ system }: JsonObject): string[] {
  const { uuid } = Object(system) as JsonObject;
  return typeof uuid === 'string' ? [uuid] : [];
}

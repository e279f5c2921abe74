import { isSameUuid, type KnownMachine, usableSerial } from '../../bmc/index.ts';
import { inventoryNamespace } from '../../conditionorc/index.ts';
import type { JsonObject } from '../../engine/index.ts';
import { onboardingNamespace } from '../../serverservice/index.ts';

/** What the inventory has of a server. */
export interface NotedServer {
  readonly id: string;
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
 * What a server is known by. Its id counts where it is that of the machine: of a Server object, or as an inventory has read
 * it. Whoever enrols a server over REST may give it any id, which says nothing of the machine.
 */
export function knownMachineOf(server: NotedServer): KnownMachine {
  const { id, attributes = [], versionedAttributes = [] } = server;
  const serial = usableSerial(server.serial);
  const isOnboarded = attributes.some(({ namespace }) => namespace === onboardingNamespace);
  const uuids = versionedAttributes.flatMap(({ namespace, data }) =>
    namespace === inventoryNamespace ? uuidIn(data) : [],
  );
  const isOwn = isOnboarded || uuids.some((uuid) => isSameUuid(uuid, id));
  return { ...(isOwn ? { uuid: id } : {}), ...(serial === undefined ? {} : { serial }) };
}

function uuidIn({ system }: JsonObject): string[] {
  const { uuid } = Object(system) as JsonObject;
  return typeof uuid === 'string' ? [uuid] : [];
}

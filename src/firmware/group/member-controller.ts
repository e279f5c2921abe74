import { groupAnnotation, ironcoreApiVersion, type ServerFirmware } from '../../api/index.ts';
import {
  type Controller,
  type ControllerOptions,
  defineController,
  type EventDraft,
  type EventSubject,
  type Failure,
  failed,
  isConflict,
  isNotFound,
  type KubeClient,
  type KubeObject,
  ok,
  type ResourceClient,
  type Result,
  toFailure,
  type Watch,
} from '../../kube/index.ts';
import type { Fleet } from '../fleet/fleet.ts';
import { withOwnership } from '../fleet/objects.ts';
import type { Ownership } from '../fleet/ownership.ts';
import { fieldManagers, resources } from '../resources.ts';
import { type ApplyEntries, decideMember, entriesToApply, type MemberSeen } from './decide-member.ts';

/** What the part of the server-group-controller that writes entries works with. */
export interface MemberControllerParts {
  readonly client: KubeClient;
  readonly fleet: Fleet;
  readonly watches: readonly Watch[];
}

/** Puts together what decides about a member; undefined when the object is gone. */
export function readMemberSeen(fleet: Fleet, name: string): MemberSeen | undefined {
  const firmware = fleet.firmware(name);
  if (firmware === undefined) return undefined;
  const server = fleet.server(firmware.spec.serverRef.name);
  return { firmware, server, groups: fleet.groupsOf(firmware.metadata.labels) };
}

/**
 * Writes the entries of groups, a server at a time: a group that changes costs one write for each of its servers, and one
 * server that cannot be written does not hold up the others.
 */
export function createMemberController(
  { client, fleet, watches }: MemberControllerParts,
  options: ControllerOptions,
): Controller<ApplyEntries, never> {
  const firmwares = client.resource<ServerFirmware & KubeObject>(resources.firmwares);
  return defineController<MemberSeen, ApplyEntries, never>(
    {
      name: 'server-group-controller-members',
      watches,
      read: (key) => readMemberSeen(fleet, key),
      decide: decideMember,
      statusOf: () => undefined,
      writeStatus: async () => {},
      effects: {
        'apply-entries': async (effect, { seen, signal }) => {
          try {
            return await applyEntries(firmwares, { effect, seen, signal });
          } catch (error) {
            // The status of the server is not ours to tell it in, and without a word the group would seem to be at work.
            const failure = toFailure(error);
            if (failure.retry !== 'transient') options.recorder?.record(subjectOf(seen), refusalOf(effect, failure));
            return failed(failure);
          }
        },
      },
    },
    options,
  );
}

function subjectOf({ firmware }: MemberSeen): EventSubject {
  return { ...firmware, apiVersion: ironcoreApiVersion, kind: 'ServerFirmware' };
}

function refusalOf({ group }: ApplyEntries, { message }: Failure): EventDraft {
  const who =
    group === undefined
      ? 'What a group wrote could not be taken back'
      : `The group ${group} could not write its entries`;
  return { type: 'Warning', reason: 'GroupEntriesRefused', message: `${who}: ${message}` };
}

interface Applying {
  readonly effect: ApplyEntries;
  readonly seen: MemberSeen;
  readonly signal: AbortSignal;
}

/**
 * Applies without force. Which entries would conflict is known from the cache; should that be out of date, the object is read
 * and what somebody else owns by then is dropped.
 */
async function applyEntries(
  client: ResourceClient<ServerFirmware & KubeObject>,
  { effect, seen, signal }: Applying,
): Promise<Result> {
  const { name = '', uid } = seen.firmware.metadata;
  const apply = (ownership: Ownership): Promise<unknown> =>
    client.apply(bodyOf(effect, { name, uid, ownership }), { fieldManager: fieldManagers.group, signal });
  try {
    await apply(seen.firmware.ownership);
  } catch (error) {
    if (isNotFound(error)) return ok();
    if (!isConflict(error)) throw error;
    const current = await client.get({ name }, { signal });
    if (current.metadata.uid !== uid) return failed({ code: 'Replaced', message: error.message, retry: 'transient' });
    await apply(withOwnership(current).ownership);
  }
  return ok();
}

function bodyOf(
  effect: ApplyEntries,
  { name, uid, ownership }: { readonly name: string; readonly uid: string | undefined; readonly ownership: Ownership },
): ServerFirmware & KubeObject {
  const { group } = effect;
  const isMarked = group !== undefined && !ownership.isGroupAnnotationTaken;
  // With the uid an object that was deleted meanwhile is not made anew.
  const metadata = { name, uid, ...(isMarked ? { annotations: { [groupAnnotation]: group } } : {}) };
  const entries = entriesToApply(effect, ownership);
  return { metadata, ...(entries.length === 0 ? {} : { spec: { firmwares: entries } }) } as unknown as ServerFirmware;
}

import { groupAnnotation, ironcoreApiVersion, type Server, type ServerFirmware } from '../../api/index.ts';
import { compareVersions } from '../compare-versions.ts';
import type { OwnedFirmware } from '../fleet/objects.ts';
import { entryKey, type Ownership } from '../fleet/ownership.ts';
import { updateFinalizer } from '../resources.ts';
import type { ServerSeen } from '../server/server-facts.ts';
import { defaultFirmwareSettings } from '../settings.ts';

/** For tests: nobody owns anything. */
export const noOwnership: Ownership = {
  groupEntries: new Set(),
  editedEntries: new Set(),
  isGroupManaged: false,
  otherEntries: new Set(),
  otherItems: new Set(),
  isBiosTaken: false,
  isBiosOurs: false,
  isOnboarded: false,
  onboardedLabels: new Set(),
  otherLabels: new Set(),
  isGroupAnnotationTaken: false,
};

/** For tests: the Server that things are about. */
export function aServer(status: Server['status'] = {}): Server {
  return {
    apiVersion: ironcoreApiVersion,
    kind: 'Server',
    metadata: { name: 'foo', uid: 'server-uid', generation: 1 },
    spec: { systemUUID: '38947555-7742-3448-3784-823347823834' },
    status: { manufacturer: 'Lenovo', model: '7x21', ...status },
  };
}

/** For tests: a ServerFirmware as a cache has it. Entries are a user's, or those of a group when one is named. */
export function aFirmware(
  spec: Partial<ServerFirmware['spec']> = {},
  more: {
    readonly status?: ServerFirmware['status'];
    readonly annotations?: Record<string, string>;
    readonly labels?: Record<string, string>;
    readonly group?: string;
    readonly ownership?: Partial<Ownership>;
  } = {},
): OwnedFirmware {
  const keys = new Set((spec.firmwares ?? []).map(entryKey));
  const mine = more.group === undefined ? { otherEntries: keys, otherItems: keys } : { groupEntries: keys };
  const mark = more.group === undefined ? {} : { [groupAnnotation]: more.group };
  return {
    apiVersion: ironcoreApiVersion,
    kind: 'ServerFirmware',
    metadata: {
      name: 'foo',
      uid: 'firmware-uid',
      generation: 1,
      finalizers: [updateFinalizer],
      annotations: { ...mark, ...more.annotations },
      labels: more.labels ?? {},
    },
    spec: { serverRef: { name: 'foo' }, scanThreshold: '30m', ...spec },
    ...(more.status === undefined ? {} : { status: more.status }),
    ownership: {
      ...noOwnership,
      ...mine,
      isGroupManaged: more.group !== undefined,
      isBiosTaken: spec.bios !== undefined,
      ...more.ownership,
    },
  };
}

/** For tests: what the server controller sees. */
export function seenOf(firmware: OwnedFirmware, more: Partial<ServerSeen> = {}): ServerSeen {
  return {
    firmware,
    server: aServer(),
    bmc: undefined,
    discovered: undefined,
    duplicateOf: undefined,
    hold: undefined,
    compare: compareVersions,
    settings: defaultFirmwareSettings,
    ...more,
  };
}

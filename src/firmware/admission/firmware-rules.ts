import { isDeepStrictEqual } from 'node:util';
import {
  type BMC,
  type DiscoveredFirmware,
  type Firmware,
  ironcoreGroup,
  ironcoreVersion,
  type Server,
  type ServerFirmware,
  type ServerFirmwareGroup,
} from '../../api/index.ts';
import { tryParseBmcAddress } from '../../bmc/index.ts';
import {
  type AdmissionMatch,
  type AdmissionRequest,
  type AdmissionRule,
  allowed,
  type Denial,
  defineAdmissionRule,
  denied,
  type MayDo,
  type Verdict,
} from '../../kube/index.ts';
import { hardwareKey, selectorKey } from '../../parts/index.ts';
import { namesForPeople } from '../conditions.ts';
import { bmcKeyOf, inlineOrigin } from '../fleet/bmc-location.ts';
import { type Fleet, olderFirst } from '../fleet/fleet.ts';
import { compileSelector, overlapOf } from '../fleet/selector.ts';
import type { ObjectTable } from '../fleet/table.ts';
import { addressFault } from '../onboarding/access.ts';
import { durationMs, longestPauseMs } from '../times.ts';
import { bmcDestination, describeSecret, serverDestination, unreadableSecret } from './secret-rights.ts';

/** What rules look at besides the request: the caches of the controllers. */
export interface AdmissionView {
  readonly fleet: Fleet;
  readonly discovered: ObjectTable<DiscoveredFirmware>;
  /** Undefined: BMCs are not held against each other. */
  readonly bmcs?: ObjectTable<BMC> | undefined;
}

/** The rules of this room, and where they get their view: an API server in the same process starts before its caches. */
export interface FirmwareAdmission {
  readonly rules: readonly AdmissionRule[];
  /**
   * From now on requests are also held against what is there. Before that, only superusers may say where credentials are
   * sent.
   */
  attach(view: AdmissionView, mayDo: MayDo): void;
}

/** Makes the rules. Before a view is attached only the request itself is looked at. */
export function createFirmwareAdmission(): FirmwareAdmission {
  let view: AdmissionView | undefined;
  let mayDo: MayDo | undefined;
  const read = (): AdmissionView | undefined => view;
  return {
    rules: [
      defineAdmissionRule({
        name: 'serverfirmwares.firmware.rackwright.io',
        type: 'validating',
        matches: [matchOf('serverfirmwares')],
        read,
        admit: admitFirmware,
      }),
      defineAdmissionRule<DestinationSeen>({
        name: 'bmcs.firmware.rackwright.io',
        type: 'validating',
        matches: [matchOf('bmcs')],
        read: async (request) => ({ view, unreadable: await unreadableSecret(mayDo, request, bmcDestination) }),
        admit: admitBmc,
      }),
      defineAdmissionRule<DestinationSeen>({
        name: 'servers.firmware.rackwright.io',
        type: 'validating',
        matches: [matchOf('servers')],
        read: async (request) => ({ view, unreadable: await unreadableSecret(mayDo, request, serverDestination) }),
        admit: admitServer,
      }),
      defineAdmissionRule({
        name: 'serverfirmwaregroups.firmware.rackwright.io',
        type: 'validating',
        matches: [matchOf('serverfirmwaregroups')],
        read,
        admit: admitGroup,
      }),
      defineAdmissionRule({
        name: 'discoveredfirmwares.firmware.rackwright.io',
        type: 'validating',
        matches: [matchOf('discoveredfirmwares')],
        read,
        admit: admitDiscovered,
      }),
    ],
    attach(given, rights) {
      view = given;
      mayDo = rights;
    },
  };
}

function matchOf(resource: string): AdmissionMatch {
  const operations = ['CREATE', 'UPDATE'] as const;
  return { groups: [ironcoreGroup], versions: [ironcoreVersion], resources: [resource], operations, scope: 'Cluster' };
}

type View = AdmissionView | undefined;

/** What an object that sends a log-in somewhere is judged by, besides the request. */
export interface DestinationSeen {
  readonly view?: View;
  /** The BMCSecret that it has sent somewhere else than before, where whoever writes it may not read that. */
  readonly unreadable?: string | undefined;
}

function verdictOf(reasons: readonly Denial[], ...warnings: string[]): Verdict {
  return reasons.length === 0 ? allowed(...warnings) : denied(...reasons);
}

/**
 * An object that only loses its finalizers must be let go, whatever is wrong with it; and one that was stored before a rule
 * was there, or while nobody asked, can be labelled, annotated and kept: only what somebody writes now is judged.
 */
function isPassed({ object, oldObject }: AdmissionRequest): boolean {
  if (object?.metadata?.deletionTimestamp !== undefined) return true;
  return oldObject !== undefined && isDeepStrictEqual(specOf(object), specOf(oldObject));
}

function specOf(object: AdmissionRequest['object']): unknown {
  return (object as { readonly spec?: unknown } | undefined)?.spec;
}

/** Judges a BMC. A second object of one BMC is let in, as one may replace the other; its servers share one lock. Pure. */
export function admitBmc(request: AdmissionRequest, { view, unreadable: secret }: DestinationSeen = {}): Verdict {
  if (secret !== undefined) return denied(describeSecret(request, secret, 'spec.bmcSecretRef'));
  if (isPassed(request)) return allowed();
  const bmc = request.object as unknown as BMC;
  const { access, protocol } = bmc.spec;
  if (access === undefined) return allowed();
  const fault = addressFault({ address: access.ip, protocol });
  if (fault !== undefined) return denied({ field: 'spec.access.ip', message: fault.message });
  const key = bmcKeyOf(bmc);
  const same = view?.bmcs?.byIndex('address', key).find(({ metadata }) => metadata.name !== bmc.metadata.name);
  if (same === undefined) return allowed();
  return allowed(`BMC ${same.metadata.name} is at ${key} already; what is behind both shares one lock: delete one`);
}

/** Judges where a Server says that its BMC is. Pure. */
export function admitServer(request: AdmissionRequest, { unreadable: secret }: DestinationSeen = {}): Verdict {
  if (secret !== undefined) return denied(describeSecret(request, secret, 'spec.bmc.bmcSecretRef'));
  if (isPassed(request)) return allowed();
  const { bmc, systemURI = '' } = (request.object as unknown as Server).spec;
  const fault = bmc === undefined ? undefined : addressFault(bmc);
  if (bmc === undefined || fault !== undefined)
    return verdictOf(fault === undefined ? [] : [{ field: 'spec.bmc.address', message: fault.message }]);
  const isRooted = systemURI === '' || systemURI.startsWith('/');
  const isSystem = isRooted && tryParseBmcAddress(`${inlineOrigin(bmc)}${systemURI}`) !== undefined;
  const message = `${JSON.stringify(systemURI)} is no path of a system; write it as the BMC does, beginning with a slash`;
  return verdictOf(isSystem ? [] : [{ field: 'spec.systemURI', message }]);
}

/** Judges a ServerFirmware. Pure. */
export function admitFirmware(request: AdmissionRequest, view: View): Verdict {
  if (isPassed(request)) return allowed();
  const object = request.object as unknown as ServerFirmware;
  const { name: server } = object.spec.serverRef;
  const rival = view?.fleet.firmwaresOf(server).find(({ metadata }) => metadata.name !== object.metadata.name);
  const reasons = [
    ...judgeEntries(object.spec.firmwares ?? []),
    ...judgeVersion(object.spec.bios?.version, 'spec.bios.version'),
    ...judgeDuration(object.spec.scanThreshold, { field: 'spec.scanThreshold', leastMs: 1000 }),
    ...(rival === undefined || request.operation !== 'CREATE'
      ? []
      : [
          {
            field: 'spec.serverRef.name',
            message: `ServerFirmware ${rival.metadata.name} is about Server ${server} already; change that one`,
          },
        ]),
  ];
  const isUnknown = view !== undefined && view.fleet.server(server) === undefined;
  return verdictOf(reasons, ...(isUnknown ? [`there is no Server ${server}; nothing happens until there is`] : []));
}

/** Judges a ServerFirmwareGroup. Pure. */
export function admitGroup(request: AdmissionRequest, view: View): Verdict {
  if (isPassed(request)) return allowed();
  const object = request.object as unknown as ServerFirmwareGroup;
  const before = request.oldObject as unknown as ServerFirmwareGroup | undefined;
  const hasOtherSelector = JSON.stringify(before?.spec.serverSelector) !== JSON.stringify(object.spec.serverSelector);
  const { firmwares = [] } = object.spec;
  const isEmptied = firmwares.length === 0 && (before?.spec.firmwares ?? []).length > 0;
  const reasons = [
    ...(firmwares.length === 0 && request.operation === 'CREATE' ? [wantsNothing] : []),
    ...judgeText(object.spec.manufacturer, 'spec.manufacturer'),
    ...judgeText(object.spec.model, 'spec.model'),
    ...judgeEntries(firmwares),
    // What became wrong by itself must not keep somebody from changing the rest.
    ...(view === undefined || !hasOtherSelector ? [] : judgeSelector(object, view.fleet)),
  ];
  return verdictOf(reasons, ...(isEmptied ? ['the group wants nothing any more: its servers lose its entries'] : []));
}

/** Who makes one means to want something; who empties one takes it back, and may fill it again. */
const wantsNothing = {
  field: 'spec.firmwares',
  message: 'it is empty, and the group would do nothing; name a firmware',
};

/** Two selectors that overlap as they are written, or on servers that are there. */
function judgeSelector(group: ServerFirmwareGroup, fleet: Fleet): Denial[] {
  const field = 'spec.serverSelector';
  const mine = compileSelector(group.spec.serverSelector);
  return fleet.groups().flatMap((other): Denial[] => {
    if (other.metadata.name === group.metadata.name || other.metadata.deletionTimestamp !== undefined) return [];
    const theirs = compileSelector(other.spec.serverSelector);
    const overlap = overlapOf(mine, theirs);
    if (overlap === 'never') return [];
    if (overlap === 'certain') {
      const message = `it intersects with the selector of the group ${other.metadata.name}; selectors of groups must not intersect`;
      return [{ field, message }];
    }
    const shared = fleet.selectedBy(other).filter(({ metadata }) => mine.matches(metadata.labels));
    if (shared.length === 0) return [];
    const names = namesForPeople(shared.map(({ metadata }) => metadata.name ?? '').toSorted(), 5);
    const message = `the group ${other.metadata.name} also selects ${names}; change a selector or the labels of these servers`;
    return [{ field, message }];
  });
}

/** Judges a DiscoveredFirmware. Pure. */
export function admitDiscovered(request: AdmissionRequest, view: View): Verdict {
  if (isPassed(request)) return allowed();
  const object = request.object as unknown as DiscoveredFirmware;
  const { manufacturer, model } = object.spec;
  const rivals = view?.discovered.byIndex('hardware', hardwareKey(object.spec)).toSorted(olderFirst) ?? [];
  const rival = rivals.find(({ metadata }) => metadata.name !== object.metadata.name);
  const reasons = [
    ...judgeText(manufacturer, 'spec.manufacturer'),
    ...judgeText(model, 'spec.model'),
    ...judgeDuration(object.spec.discoveryInterval, { field: 'spec.discoveryInterval', leastMs: 60_000 }),
    ...(rival === undefined || request.operation !== 'CREATE'
      ? []
      : [
          {
            field: 'spec.model',
            message: `DiscoveredFirmware ${rival.metadata.name} is about ${manufacturer} ${model} already; change that one`,
          },
        ]),
  ];
  return verdictOf(reasons);
}

function judgeEntries(entries: readonly Firmware[]): Denial[] {
  const seen = new Map<string, number>();
  return entries.flatMap((entry, index): Denial[] => {
    const field = `spec.firmwares[${index}]`;
    const key = selectorKey(entry);
    const first = seen.get(key);
    seen.set(key, index);
    const { name, manufacturer } = entries[first ?? index] ?? entry;
    const twice = `it is the same firmware as spec.firmwares[${first}], ${name} of ${manufacturer}, written differently; keep one of them`;
    return [
      ...judgeText(entry.name, `${field}.name`),
      ...judgeText(entry.manufacturer, `${field}.manufacturer`),
      ...judgeVersion(entry.version, `${field}.version`),
      ...(first === undefined ? [] : [{ field, message: twice }]),
    ];
  });
}

/** A text that somebody could have meant: printable, without spaces around it, with a letter or digit in it. */
function judgeText(text: string | undefined, field: string): Denial[] {
  if (text === undefined) return [];
  if (/\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}/u.test(text)) return [{ field, message: 'it has control characters in it' }];
  if (text !== text.trim()) return [{ field, message: 'it begins or ends with a space' }];
  if (!/[\p{L}\p{N}]/u.test(text)) return [{ field, message: 'it has neither a letter nor a digit' }];
  return [];
}

function judgeVersion(text: string | undefined, field: string): Denial[] {
  if (text !== undefined && /(^|[\\/])\.\.([\\/]|$)/.test(text)) {
    return [{ field, message: 'it is a path and not a version' }];
  }
  return judgeText(text, field);
}

function judgeDuration(
  text: string | undefined,
  { field, leastMs }: { readonly field: string; readonly leastMs: number },
): Denial[] {
  const ms = durationMs(text);
  if (ms === undefined) return [];
  if (ms < leastMs) return [{ field, message: `it must be at least ${leastMs / 1000} s` }];
  return ms > longestPauseMs ? [{ field, message: 'it must be at most ten years' }] : [];
}

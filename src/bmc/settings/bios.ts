import type { Bmc } from '../bmc.ts';
import { BmcError, isBmcError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import {
  allowableIn,
  childPath,
  linkIn,
  memberIn,
  messagesIn,
  objectIn,
  type RedfishMessage,
  type System,
  systemOf,
  textIn,
  textsIn,
} from '../redfish/index.ts';
import { asBiosValue, type BiosRegistry, type BiosValue, readBiosRegistry } from './bios-registry.ts';

/** Attributes by name. */
export type BiosAttributes = ReadonlyMap<string, BiosValue>;

/** A machine's BIOS settings. */
export interface Bios {
  readonly path: string;
  readonly current: BiosAttributes;
  /** Staged values that differ from the current ones: they wait for a reset. */
  readonly pending: BiosAttributes;
  /** Undefined where the BMC has no registry; then only names and types of today's values can be checked. */
  readonly registry: BiosRegistry | undefined;
  readonly registryName: string | undefined;
  /** Where changes are written; the BIOS itself where it has no settings object. */
  readonly settingsPath: string;
  /** When a change can be asked to take effect; empty where the BMC does not want to be told. */
  readonly applyTimes: readonly string[];
  /** What came of the last change, as the BMC says. */
  readonly lastApplied: { readonly time: string | undefined; readonly messages: readonly RedfishMessage[] };
  readonly body: JsonObject;
}

/** What to read of a BIOS. */
export interface BiosOptions {
  /** The registry is large and changes only with the firmware: false leaves it out. */
  readonly hasRegistry?: boolean;
  /** False leaves out what is staged, for those who only look at what is. */
  readonly hasPending?: boolean;
  /** Where it was read just now; it is asked for unless given. */
  readonly system?: System;
}

/** Reads the BIOS settings of a machine: current, pending, and what they may be. */
export async function readBios(bmc: Bmc, options: BiosOptions = {}): Promise<Bios> {
  const path = biosPathIn(bmc, options.system ?? (await systemOf(bmc)));
  const { body } = await bmc.gate.request({ method: 'GET', path });
  const settings = objectIn(body, '@Redfish.Settings');
  const settingsPath = linkIn(settings, 'SettingsObject');
  const wantsPending = options.hasPending !== false && settingsPath !== undefined;
  const staged = wantsPending ? await readStaged(bmc, settingsPath) : {};
  const current = attributesIn(body);
  const registryName = textIn(body, 'AttributeRegistry');
  const wantsRegistry = options.hasRegistry !== false && registryName !== undefined;
  return {
    path,
    current,
    pending: differing(attributesIn(staged), current),
    registry: wantsRegistry ? await readBiosRegistry(bmc, registryName) : undefined,
    registryName,
    settingsPath: settingsPath ?? path,
    applyTimes: applyTimesIn(settings, staged),
    lastApplied: { time: textIn(settings, 'Time'), messages: messagesIn(settings, 'Messages') },
    body,
  };
}

function biosPathIn(bmc: Bmc, system: System): string {
  const path = linkIn(system.body, 'Bios');
  if (path !== undefined) return path;
  const detail = `${system.path} names no BIOS (usually ${childPath(system.path, 'Bios')})`;
  throw new BmcError('unsupported', { origin: bmc.gate.origin, what: 'show BIOS settings', detail });
}

/** Before anything is staged the settings object may not be there. */
async function readStaged(bmc: Bmc, path: string): Promise<JsonObject> {
  try {
    return (await bmc.gate.request({ method: 'GET', path })).body;
  } catch (error) {
    if (isBmcError(error, 'notFound')) return {};
    throw error;
  }
}

function applyTimesIn(settings: JsonObject, staged: JsonObject): readonly string[] {
  const said = textsIn(settings, 'SupportedApplyTimes');
  if (said.length > 0) return said;
  const own = textsIn(objectIn(staged, '@Redfish.Settings'), 'SupportedApplyTimes');
  return own.length > 0 ? own : (allowableIn(objectIn(staged, '@Redfish.SettingsApplyTime'), 'ApplyTime') ?? []);
}

/** The attributes in the body of a BIOS or settings object; those that are null have no value. */
export function attributesIn(body: JsonObject): BiosAttributes {
  const attributes = objectIn(body, 'Attributes');
  const found = new Map<string, BiosValue>();
  for (const name of Object.keys(attributes)) {
    const value = asBiosValue(memberIn(attributes, name));
    if (value !== undefined && !name.startsWith('@odata')) found.set(name, value);
  }
  return found;
}

function differing(staged: BiosAttributes, current: BiosAttributes): BiosAttributes {
  return new Map([...staged].filter(([name, value]) => current.get(name) !== value));
}

import type { KubeObject, StatusCondition } from '../api/kinds.ts';
import { type InstalledPart, offersOf, type Selected } from './offers.ts';

/** A version that a group wants. */
export interface WantedVersion extends Selected {
  readonly version: string;
}

/** A ServerFirmwareGroup, as far as the page goes. */
export interface FirmwareGroup extends KubeObject {
  readonly spec: {
    readonly manufacturer: string;
    readonly model: string;
    readonly serverSelector: {
      readonly matchLabels?: Readonly<Record<string, string>>;
      readonly matchExpressions?: readonly object[];
    };
    readonly firmwares?: readonly WantedVersion[];
    readonly paused?: boolean;
  };
  readonly status?: {
    readonly serversInGroup?: number;
    readonly updatesApplied?: number;
    readonly updatesNotApplied?: number;
    readonly updatesFailed?: number;
    readonly conditions?: readonly StatusCondition[];
  };
}

/** A DiscoveredFirmware, as far as the page goes. */
export interface AvailableFirmware extends KubeObject {
  readonly spec: { readonly manufacturer: string; readonly model: string };
  readonly status?: {
    readonly lastDiscoveryTime?: string;
    readonly bios?: { readonly versions?: readonly string[] };
    readonly firmwares?: readonly {
      readonly name: string;
      readonly manufacturer: string;
      readonly model?: string;
      readonly softwareIds?: readonly string[];
      readonly versions?: readonly string[];
    }[];
  };
}

/** What is being written into the form. */
export interface GroupDraft {
  readonly name: string;
  /** `manufacturer / model`, as one choice. */
  readonly hardware: string;
  /** `env=prod, tier=db` */
  readonly labels: string;
  /** By component and maker. */
  readonly versions: Readonly<Record<string, string>>;
  readonly isPaused: boolean;
}

/** A draft with nothing in it. */
export const emptyDraft: GroupDraft = { name: '', hardware: '', labels: '', versions: {}, isPaused: false };

const narrowings = ['model', 'softwareId', 'slot'] as const;

/** A key of `versions`: `nic / Intel`, and `nic / Dell Inc. / softwareId=110217` for one of several products. */
export function entryKey(entry: Selected): string {
  const narrowed = narrowings.flatMap((name) => (entry[name] ? [`${name}=${entry[name]}`] : []));
  return [entry.name, entry.manufacturer, ...narrowed].join(' / ');
}

/** The entry that a key is of. */
function readEntryKey(key: string): Selected {
  const narrowed: Partial<Record<(typeof narrowings)[number], string>> = {};
  let rest = key;
  for (const name of narrowings.toReversed()) {
    const at = rest.lastIndexOf(` / ${name}=`);
    if (at === -1) continue;
    narrowed[name] = rest.slice(at + name.length + 4);
    rest = rest.slice(0, at);
  }
  const [name = '', manufacturer = ''] = splitOnce(rest, ' / ');
  return { name, manufacturer, ...narrowed };
}

/** One choice of hardware. */
export function hardwareText({
  manufacturer,
  model,
}: {
  readonly manufacturer: string;
  readonly model: string;
}): string {
  return `${manufacturer} / ${model}`;
}

/** The hardware that a choice is of. */
export function readHardware(text: string): { readonly manufacturer: string; readonly model: string } {
  const [manufacturer = '', model = ''] = splitOnce(text, ' / ');
  return { manufacturer, model };
}

/** The form filled with a group that is there. */
export function draftOf(group: FirmwareGroup): GroupDraft {
  const { matchLabels = {} } = group.spec.serverSelector;
  return {
    name: group.metadata.name,
    hardware: hardwareText(group.spec),
    labels: Object.entries(matchLabels)
      .map(([key, value]) => `${key}=${value}`)
      .join(', '),
    versions: Object.fromEntries((group.spec.firmwares ?? []).map((each) => [entryKey(each), each.version])),
    isPaused: group.spec.paused === true,
  };
}

/** One line of the form: a product and the versions that are available. */
export interface EntryLine {
  readonly key: string;
  readonly name: string;
  readonly manufacturer: string;
  /** Which product of several it is. */
  readonly product: string;
  /** Newest first; also what is wanted now, should the catalogue not have it. */
  readonly choices: readonly string[];
}

/** The lines of the form: what is available for the parts of the hardware, which may not be known yet, and what is wanted already. */
export function entryLines(
  draft: GroupDraft,
  available: AvailableFirmware | undefined,
  parts: readonly InstalledPart[] = [],
): EntryLine[] {
  const offered = (available === undefined ? [] : offersOf(available, parts)).map((offer) => {
    const { name, manufacturer, product, versions } = offer;
    return { key: entryKey(offer), name, manufacturer, product, choices: versions.toReversed() };
  });
  const known = new Map<string, EntryLine>(offered.map((line) => [line.key, line]));
  for (const [key, version] of Object.entries(draft.versions)) {
    const { name, manufacturer, model = '', softwareId = '', slot = '' } = readEntryKey(key);
    const product = [model, softwareId, slot].filter((text) => text !== '').join(' ');
    const line = known.get(key) ?? { key, name, manufacturer, product, choices: [] };
    if (version !== '' && !line.choices.includes(version)) {
      known.set(key, { ...line, choices: [version, ...line.choices] });
    }
  }
  return [...known.values()];
}

/** The object that would be written, or what is wrong with the form. */
export function groupOf(draft: GroupDraft, present: FirmwareGroup | undefined): FirmwareGroup | { problem: string } {
  const { manufacturer, model } = readHardware(draft.hardware);
  const labels = readLabels(draft.labels);
  if (!/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(draft.name)) {
    return { problem: 'Give the group a name of small letters, digits and dashes.' };
  }
  if (manufacturer === '' || model === '') return { problem: 'Choose the hardware that the group is for.' };
  if (labels === undefined) return { problem: 'Labels are written as key=value, separated by commas.' };
  if (Object.keys(labels).length === 0 && present?.spec.serverSelector.matchExpressions === undefined) {
    return { problem: 'Say by which labels servers are in the group, such as rackwright.io/rack=r01.' };
  }
  const { matchExpressions } = present?.spec.serverSelector ?? {};
  const firmwares = Object.entries(draft.versions).flatMap(([key, version]) => {
    return version === '' ? [] : [{ ...readEntryKey(key), version }];
  });
  if (firmwares.length === 0 && present === undefined) {
    return { problem: 'Choose a version that the group is to want.' };
  }
  return {
    apiVersion: 'metal.ironcore.dev/v1alpha1',
    kind: 'ServerFirmwareGroup',
    metadata: present === undefined ? { name: draft.name } : keptMetadata(present),
    spec: {
      manufacturer,
      model,
      serverSelector: { matchLabels: labels, ...(matchExpressions === undefined ? {} : { matchExpressions }) },
      firmwares,
      ...(draft.isPaused ? { paused: true } : {}),
    },
  };
}

/** Its version goes along, so that nobody's change in between is overwritten. */
function keptMetadata({ metadata }: FirmwareGroup): FirmwareGroup['metadata'] {
  const { name, resourceVersion, labels, annotations } = metadata;
  return {
    name,
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
  };
}

function splitOnce(text: string, by: string): string[] {
  const at = text.indexOf(by);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + by.length)];
}

function readLabels(text: string): Record<string, string> | undefined {
  const pairs = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const read = pairs.map((pair) => /^([\w./-]+)\s*=\s*([\w.-]*)$/.exec(pair));
  if (read.some((match) => match === null)) return undefined;
  return Object.fromEntries(read.map((match) => [match?.[1] ?? '', match?.[2] ?? '']));
}

/** The standing of a group in words. */
export function groupStanding({ spec, status = {} }: FirmwareGroup): {
  readonly tone: 'good' | 'busy' | 'warn' | 'bad' | 'idle';
  readonly text: string;
  readonly why: string;
} {
  const isSet = (type: string) => status.conditions?.find((each) => each.type === type && each.status === 'True');
  const halted = isSet('Halted');
  const conflict = isSet('SelectorConflict');
  const { serversInGroup = 0, updatesApplied = 0, updatesFailed = 0 } = status;
  if (halted !== undefined) return { tone: 'bad', text: 'halted', why: halted.message ?? '' };
  if (conflict !== undefined) return { tone: 'bad', text: 'overlaps', why: conflict.message ?? '' };
  if (spec.paused === true) return { tone: 'idle', text: 'paused', why: 'Nothing is written to its servers.' };
  if (updatesFailed > 0) return { tone: 'warn', text: `${updatesFailed} failed`, why: 'They gave up on its versions.' };
  const { reason, message: why = '' } = status.conditions?.find(({ type }) => type === 'Ready') ?? {};
  if (reason === 'HardwareUnknown') return { tone: 'busy', text: 'not known yet', why };
  if (reason === 'NoTarget') return { tone: 'idle', text: 'no target declared', why };
  if (serversInGroup === 0) {
    return { tone: 'idle', text: 'no servers', why: why === '' ? 'Its selector selects none.' : why };
  }
  if (reason === 'NeedsAttention') return { tone: 'warn', text: 'needs attention', why };
  if (updatesApplied === serversInGroup) return { tone: 'good', text: 'applied', why: '' };
  return { tone: 'busy', text: 'in progress', why };
}

import { ironcoreGroup, type ServerFirmware, type ServerFirmwareGroup } from '../../api/index.ts';
import { type AssumedObject, assume, isGroupRefused, type PlanFacts, withOwnership } from '../../firmware/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import { equalJson, type Json } from '../../schema/index.ts';
import { CliError } from '../errors.ts';
import type { Manifest } from '../objects/manifests.ts';
import { type DryRunning, dryRun, dryRunGroup } from './dry-run.ts';

/** A fleet as it would be, and what makes the difference. */
export interface Assumed {
  readonly facts: PlanFacts;
  readonly assumed: readonly AssumedObject[];
}

/** An object of a file as it would be after it was applied. */
interface Draft {
  readonly manifest: Manifest;
  readonly object: ServerFirmwareGroup | ReturnType<typeof withOwnership<ServerFirmware & KubeObject>>;
  /** Why it would be refused if it was applied before the others. */
  readonly refusal: CliError | undefined;
}

/** The objects as they would be after they were applied: the server works that out and keeps nothing. */
export async function assumeManifests(
  manifests: readonly Manifest[],
  facts: PlanFacts,
  { warn, ...running }: DryRunning & { readonly warn: (line: string) => void },
): Promise<Assumed> {
  const planned = manifests.filter((manifest) => isPlanned(manifest, warn));
  if (planned.length === 0) {
    throw new CliError('failed', 'the files hold neither a ServerFirmware nor a ServerFirmwareGroup');
  }
  const drafts: Draft[] = [];
  for (const manifest of planned) drafts.push(await draftOf(manifest, planned, { facts, running }));
  const objects = drafts.map(({ object }) => object);
  const after = assume(facts, {
    firmwares: objects.filter((each) => each.kind === 'ServerFirmware'),
    groups: objects.filter((each) => each.kind === 'ServerFirmwareGroup'),
  });
  for (const { object, refusal, manifest } of drafts) {
    if (refusal === undefined || object.kind !== 'ServerFirmwareGroup') continue;
    if (isGroupRefused(after, object)) throw refusal;
    warn(`Warning: ${manifest.source}: apply it after the others of these files; ${refusal.message}\n`);
  }
  return { facts: after, assumed: drafts.map((draft) => describe(draft, facts)) };
}

function isPlanned({ object, source }: Manifest, warn: (line: string) => void): boolean {
  const { apiVersion = '', kind = '', metadata } = object;
  const isOurs = apiVersion.startsWith(`${ironcoreGroup}/`);
  if (isOurs && (kind === 'ServerFirmware' || kind === 'ServerFirmwareGroup')) return true;
  warn(`${source}: ${kind} ${metadata?.name ?? ''} plays no part in a plan\n`);
  return false;
}

async function draftOf(
  manifest: Manifest,
  all: readonly Manifest[],
  { facts, running }: { readonly facts: PlanFacts; readonly running: DryRunning },
): Promise<Draft> {
  if (manifest.object.kind === 'ServerFirmware') {
    const object = await dryRun<ServerFirmware & KubeObject>(manifest, running);
    return { manifest, object: withOwnership(object), refusal: undefined };
  }
  const present = facts.groups.find(({ metadata }) => metadata.name === manifest.object.metadata?.name);
  const hasOthers = all.some((each) => each !== manifest && each.object.kind === 'ServerFirmwareGroup');
  return { manifest, ...(await dryRunGroup(manifest, { present, hasOthers }, running)) };
}

function describe({ manifest, object }: Draft, facts: PlanFacts): AssumedObject {
  const { kind } = object;
  const name = object.metadata.name ?? '';
  const before: readonly Compared[] = kind === 'ServerFirmware' ? facts.firmwares : facts.groups;
  const present = before.find(({ metadata }) => metadata.name === name);
  return { kind, name, source: manifest.source, change: changeOf(present, object) };
}

type Compared = Pick<Draft['object'], 'spec' | 'metadata'>;

function changeOf(before: Compared | undefined, after: Compared): AssumedObject['change'] {
  if (before === undefined) return 'created';
  const essence = ({ spec, metadata }: Compared): Json =>
    ({ spec, labels: metadata.labels ?? {}, annotations: metadata.annotations ?? {} }) as unknown as Json;
  return equalJson(essence(before), essence(after)) ? 'unchanged' : 'configured';
}

import type { Command } from 'commander';
import {
  type AnyKubeObject,
  isConflict,
  isNotFound,
  KubeError,
  type ObjectKey,
  type ResourceClient,
} from '../../kube/index.ts';
import { equalJson, type Json } from '../../schema/index.ts';
import { CliError } from '../errors.ts';
import { readOutputForm } from '../output/output-form.ts';
import type { Terminal } from '../terminal.ts';
import { readDryRun } from './dry-run.ts';
import { throwAll } from './faults.ts';
import { placeManifest } from './manifest-target.ts';
import type { Manifest } from './manifests.ts';
import { formatWhole, withoutManagedFields } from './print-objects.ts';
import { addSessionFlags, collect, type Session, type SessionFlags, withSession } from './session.ts';
import { objectName } from './targets.ts';
import { readCondition, waitForObject } from './wait-for.ts';

interface ApplyFlags extends SessionFlags {
  readonly filename?: string[];
  readonly recursive?: boolean;
  readonly dryRun?: string | true;
  readonly forceConflicts?: boolean;
  readonly fieldManager: string;
  readonly validate: string;
  readonly output?: string;
  readonly serverSide?: boolean;
}

/** Adds `rackwright apply`. */
export function addApplyCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('apply')
    .summary('make objects as files say')
    .description('Makes objects as files say, by server-side apply: fields that others own are not touched.')
    .option('-f, --filename <file>', 'a file, a folder, or - for the standard input; may be repeated', collect)
    .option('-R, --recursive', 'also the folders in a folder')
    .option('--dry-run [way]', 'with "server": the server checks everything and changes nothing')
    .option('--force-conflicts', 'take over fields that others own')
    .option('--field-manager <name>', 'who owns the fields', 'rackwright')
    .option('--validate <how>', 'what to do about unknown fields: strict, warn or ignore', 'strict')
    .option('-o, --output <form>', 'print the objects: json, yaml, name or jsonpath=TEMPLATE')
    .option('--server-side', 'accepted for habit: apply is always server-side')
    .action((flags: ApplyFlags) => withSession(flags, terminal, (session) => runApply(flags, session, terminal)));
  addSessionFlags(command);
}

async function runApply(flags: ApplyFlags, session: Session, terminal: Terminal): Promise<void> {
  const isDryRun = readDryRun(flags.dryRun);
  const output = readOutputForm(flags.output);
  const { readManifests } = await import('./manifests.ts');
  const manifests = await readManifests(flags.filename ?? [], { isRecursive: flags.recursive === true }, terminal);
  const faults: Error[] = [];
  const applied: AnyKubeObject[] = [];
  for (const manifest of manifests) {
    try {
      const { object, verdict } = await applyManifest(manifest, { flags, session, isDryRun, terminal });
      applied.push(object);
      if (output.form === 'name') terminal.out(`${objectName(object)}\n`);
      if (output.form === 'table') {
        terminal.out(`${objectName(object)} ${verdict}${isDryRun ? ' (server dry run)' : ''}\n`);
      }
    } catch (error) {
      if (!isAboutObject(error)) throw error;
      faults.push(withSource(error, manifest));
    }
  }
  if (output.form !== 'table' && output.form !== 'name') {
    terminal.out(formatWhole(applied, output, { isSingle: manifests.length === 1 }));
  }
  throwAll(faults, terminal);
}

/** A server that is gone ends the command; an object that is refused lets the others have their turn. */
function isAboutObject(error: unknown): error is KubeError | CliError {
  return error instanceof CliError || (error instanceof KubeError && error.code !== 0);
}

function withSource(error: KubeError | CliError, { source, object }: Manifest): Error {
  if (error instanceof CliError) return error;
  const hint = isConflict(error) ? '\nGive up these fields in the file, or take them over with --force-conflicts.' : '';
  const name = `"${object.metadata?.name ?? ''}"`;
  // Most messages name the object already.
  const what = error.message.includes(name) ? '' : `${object.kind ?? 'object'} ${name}: `;
  return new CliError('failed', `${source}: ${what}${error.message} (${error.reason})${hint}`, { cause: error });
}

interface Applying {
  readonly flags: ApplyFlags;
  readonly session: Session;
  readonly isDryRun: boolean;
  readonly terminal: Terminal;
}

type ApplyVerdict = 'created' | 'configured' | 'unchanged';

async function applyManifest(
  manifest: Manifest,
  { flags, session, isDryRun, terminal }: Applying,
): Promise<{ object: AnyKubeObject; verdict: ApplyVerdict }> {
  const { resource, key } = await placeManifest(manifest, session);
  const client = session.client.resource<AnyKubeObject>(resource);
  const before = await getIfThere(client, key);
  const placed = { ...manifest.object, metadata: { ...manifest.object.metadata, ...key } } as AnyKubeObject;
  const after = await client.apply(placed, {
    fieldManager: flags.fieldManager,
    isForced: flags.forceConflicts,
    isDryRun,
    fieldValidation: readValidation(flags.validate),
  });
  if (resource.group === 'apiextensions.k8s.io' && !isDryRun) {
    // Objects of the new kind may stand next in the same file.
    await waitForObject({ client, key }, readCondition('condition=Established'), {
      timeoutMs: 30_000,
      signal: terminal.interrupted,
    });
    session.mapper.reset();
  }
  return { object: after, verdict: verdictOf(manifest.object, { before, after }) };
}

function readValidation(text: string): 'Strict' | 'Warn' | 'Ignore' {
  const found = { strict: 'Strict', true: 'Strict', warn: 'Warn', ignore: 'Ignore', false: 'Ignore' } as const;
  const value = found[text.toLowerCase() as keyof typeof found];
  if (value === undefined) throw new CliError('usage', `--validate ${text}: there are strict, warn and ignore`);
  return value;
}

async function getIfThere(client: ResourceClient<AnyKubeObject>, key: ObjectKey): Promise<AnyKubeObject | undefined> {
  try {
    return await client.get(key);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

interface Change {
  readonly before: AnyKubeObject | undefined;
  readonly after: AnyKubeObject;
}

/**
 * A dry run has no new version, so what matters is compared instead. A status that the file does not have is not its doing:
 * a controller may write it at the same moment.
 */
function verdictOf(told: object, { before, after }: Change): ApplyVerdict {
  if (before === undefined) return 'created';
  const essence = (object: AnyKubeObject): Json => {
    const { metadata, status, ...rest } = withoutManagedFields(object);
    const { resourceVersion: _, generation: __, ...kept } = metadata ?? {};
    return { ...rest, metadata: kept, ...('status' in told ? { status } : {}) } as unknown as Json;
  };
  return equalJson(essence(before), essence(after)) ? 'unchanged' : 'configured';
}

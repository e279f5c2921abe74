import type { Command } from 'commander';
import type { AnyKubeObject, ObjectKey, ServedResource } from '../../kube/index.ts';
import { usageError } from '../errors.ts';
import type { Terminal } from '../terminal.ts';
import { placeManifest } from './manifest-target.ts';
import { collect, type Session } from './session.ts';
import { kindName, readTargets } from './targets.ts';

/** The flags of commands that act on objects chosen by name, selector or file. */
export interface ChoiceFlags {
  readonly filename?: string[];
  readonly recursive?: boolean;
  readonly selector?: string;
  readonly fieldSelector?: string;
  readonly all?: boolean;
  readonly allNamespaces?: boolean;
}

/** One object a command acts on. */
export interface ChosenObject {
  readonly resource: ServedResource;
  readonly key: ObjectKey;
}

/** Gives a command the flags that choose objects. */
export function addChoiceFlags(command: Command): Command {
  return command
    .option('-f, --filename <file>', 'the objects of a file, a folder, or - for the standard input', collect)
    .option('-R, --recursive', 'also the folders in a folder')
    .option('-l, --selector <labels>', 'those with these labels')
    .option('--field-selector <fields>', 'those with these fields')
    .option('--all', 'all of this kind in the namespace')
    .option('-A, --all-namespaces', 'in all namespaces');
}

/** Finds the objects that words and flags mean. Meaning all of a kind must be said. */
export async function chooseObjects(
  words: readonly string[],
  flags: ChoiceFlags,
  session: Session,
  terminal: Terminal,
): Promise<ChosenObject[]> {
  if (flags.filename !== undefined) {
    if (words.length > 0) throw usageError('objects are chosen by -f or by name, not both');
    return chooseFromFiles(flags, session, terminal);
  }
  const targets = await readTargets(words, session);
  const chosen: ChosenObject[] = [];
  const isSelecting = flags.selector !== undefined || flags.fieldSelector !== undefined || flags.all === true;
  for (const { resource, names } of targets) {
    if (names !== undefined) {
      if (isSelecting) throw usageError('objects are chosen by name, by selector or by --all: one of them');
      chosen.push(...names.map((name) => ({ resource, key: keyIn(resource, name, session.namespace) })));
    } else if (isSelecting) {
      chosen.push(...(await select(resource, flags, session)));
    } else {
      throw usageError(`name the ${resource.resource} you mean, or say -l LABELS or --all`);
    }
  }
  return chosen;
}

function keyIn(resource: ServedResource, name: string, namespace: string): ObjectKey {
  return resource.namespaced ? { name, namespace } : { name };
}

async function chooseFromFiles(flags: ChoiceFlags, session: Session, terminal: Terminal): Promise<ChosenObject[]> {
  const isRecursive = flags.recursive === true;
  const { readManifests } = await import('./manifests.ts');
  const manifests = await readManifests(flags.filename ?? [], { isRecursive }, terminal);
  return Promise.all(manifests.map((manifest) => placeManifest(manifest, session)));
}

async function select(resource: ServedResource, flags: ChoiceFlags, session: Session): Promise<ChosenObject[]> {
  const { items } = await session.client.resource<AnyKubeObject>(resource).list({
    namespace: flags.allNamespaces === true ? undefined : session.namespace,
    labelSelector: flags.selector,
    fieldSelector: flags.fieldSelector,
  });
  return items.map(({ metadata }) => ({
    resource,
    key: keyIn(resource, metadata?.name ?? '', metadata?.namespace ?? ''),
  }));
}

/** `baremetalhost.metal3.io/host-1`. */
export function chosenName({ resource, key }: ChosenObject): string {
  return `${kindName(resource)}/${key.name}`;
}

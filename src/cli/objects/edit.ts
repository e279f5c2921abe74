import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { type AnyKubeObject, KubeError } from '../../kube/index.ts';
import { isJsonObject, type JsonObject, parseYamlStrict } from '../../schema/index.ts';
import { CliError } from '../errors.ts';
import { yamlText } from '../output/show.ts';
import type { Terminal } from '../terminal.ts';
import { type ChosenObject, chooseObjects, chosenName } from './choose-objects.ts';
import { applyMergePatch, mergePatchBetween, overlappingPaths } from './merge-patch.ts';
import { withoutManagedFields } from './print-objects.ts';
import { addSessionFlags, type Session, type SessionFlags, withSession } from './session.ts';

/** Adds `rackwright edit`. */
export function addEditCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('edit')
    .summary('edit an object in an editor')
    .description('Opens objects in an editor (KUBE_EDITOR, VISUAL, EDITOR, or vi) and sends back what was changed.')
    .argument('<what...>', 'TYPE NAME ... or TYPE/NAME ...')
    .action((words: string[], flags: SessionFlags) =>
      withSession(flags, terminal, async (session) => {
        for (const one of await chooseObjects(words, {}, session, terminal)) await editObject(one, session, terminal);
      }),
    );
  addSessionFlags(command);
}

const intro = `# Change the object and leave the editor; what you changed is sent to the server.
# An empty file, or one without changes, leaves everything as it is. Lines that begin with # are ignored.
`;

interface Draft {
  /** The object the edit started from. */
  readonly original: JsonObject;
  /** What the editor shows. */
  readonly shown: JsonObject;
  /** Why the editor is open again. */
  readonly problem: string | undefined;
}

async function editObject(one: ChosenObject, session: Session, terminal: Terminal): Promise<void> {
  const client = session.client.resource<AnyKubeObject>(one.resource);
  const read = async (): Promise<JsonObject> =>
    withoutManagedFields(await client.get(one.key)) as unknown as JsonObject;
  const original = await read();
  const folder = mkdtempSync(join(tmpdir(), 'rackwright-edit-'));
  const file = join(folder, `${one.key.name.replace(/[^\w.-]/g, '_')}.yaml`);
  let draft: Draft = { original, shown: original, problem: undefined };
  let isKept = false;
  try {
    for (let before: string | undefined; ; ) {
      const text: string = await openEditor(file, before ?? textOf(draft), terminal);
      const edited = parseEdited(text);
      if (edited === undefined || (draft.problem === undefined && text === textOf(draft))) return cancel(one, terminal);
      if (text === before) {
        isKept = true;
        throw new CliError('failed', `${draft.problem ?? 'nothing was changed'}\nYour text is kept in ${file}`);
      }
      if (typeof edited === 'string') {
        draft = { ...draft, problem: edited };
        before = withProblem(edited, text);
        continue;
      }
      const patch = mergePatchBetween(draft.original, edited);
      if (patch === undefined) return cancel(one, terminal);
      const outcome = await send({ patch, original: draft.original, read, client, one });
      if (outcome === undefined) return terminal.out(`${chosenName(one)} edited\n`);
      draft = outcome;
      before = withProblem(outcome.problem ?? '', yamlText(outcome.shown));
    }
  } finally {
    if (!isKept) rmSync(folder, { recursive: true, force: true });
  }
}

function cancel(one: ChosenObject, terminal: Terminal): void {
  terminal.out(`${chosenName(one)} left as it is\n`);
}

function textOf({ shown }: Draft): string {
  return `${intro}${yamlText(shown)}`;
}

/** Puts a message above the text, in place of the one before. */
function withProblem(problem: string, text: string): string {
  const body = text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n');
  return `${intro}#\n${problem
    .split('\n')
    .map((line) => `# ${line}\n`)
    .join('')}${body}`;
}

async function openEditor(file: string, text: string, terminal: Terminal): Promise<string> {
  // Objects may hold secrets, so nobody else may read the file.
  writeFileSync(file, text, { mode: 0o600 });
  const { KUBE_EDITOR, VISUAL, EDITOR } = terminal.env;
  const editor = [KUBE_EDITOR, VISUAL, EDITOR].find((name) => name !== undefined && name !== '') ?? 'vi';
  const code = await terminal.runInteractive(`${editor} '${file}'`);
  if (code !== 0) throw new CliError('failed', `the editor "${editor}" ended with code ${code}; nothing was changed`);
  return readFileSync(file, 'utf8');
}

/** The edited object; a text says why it is none; undefined when the file was emptied. */
function parseEdited(text: string): JsonObject | string | undefined {
  const parsed = parseYamlStrict(text);
  if ('error' in parsed) return parsed.error;
  if (parsed.strictError !== undefined) return parsed.strictError;
  if (parsed.value === null) return undefined;
  return isJsonObject(parsed.value) ? parsed.value : 'the text is not an object';
}

interface Sending {
  readonly patch: JsonObject;
  readonly original: JsonObject;
  readonly read: () => Promise<JsonObject>;
  readonly client: ReturnType<Session['client']['resource']>;
  readonly one: ChosenObject;
}

/** Sends a change. Gives undefined when it was taken, or what the editor should show instead. */
async function send({ patch, original, read, client, one }: Sending): Promise<Draft | undefined> {
  for (let base = original; ; ) {
    const { resourceVersion } = base.metadata as JsonObject;
    const metadata = { ...(patch.metadata as JsonObject | undefined), resourceVersion };
    try {
      await client.patch(one.key, { type: 'merge', body: { ...patch, metadata } });
      return undefined;
    } catch (error) {
      if (!(error instanceof KubeError) || error.code === 0) throw error;
      if (error.reason !== 'Conflict')
        return { original: base, shown: applyMergePatch(base, patch), problem: error.message };
      const current = await read();
      const others = mergePatchBetween(base, current) ?? {};
      const both = overlappingPaths(patch, others);
      if (both.length > 0) {
        const problem = `Somebody else changed ${both.join(', ')} meanwhile. Your change is shown on top of the new object; save it to insist.`;
        return { original: current, shown: applyMergePatch(current, patch), problem };
      }
      base = current;
    }
  }
}

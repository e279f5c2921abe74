import { isForbidden } from '../../kube/index.ts';
import { CliError } from '../errors.ts';
import { type WhyFlags, whyServer } from '../firmware/why-server.ts';
import { withRestIfThere } from '../fleet/read-fleet.ts';
import type { Session } from '../objects/session.ts';
import { readOutputForm } from '../output/output-form.ts';
import type { Terminal } from '../terminal.ts';
import { findObject, whyKinds, whyObject } from './why-object.ts';

interface Asking {
  readonly session: Session;
  readonly terminal: Terminal;
}

/** Kinds whose firmware is explained. */
const firmwareKinds = new Set(['Server', 'ServerFirmware', 'BMC']);

/** Explains what `NAME`, `TYPE/NAME` or `TYPE NAME` means. */
export async function why(words: readonly string[], flags: WhyFlags, asking: Asking): Promise<void> {
  const [first = '', second] = words;
  const slash = first.indexOf('/');
  if (second !== undefined) return await whyOfKind(first, second, { flags, asking });
  if (slash !== -1) return await whyOfKind(first.slice(0, slash), first.slice(slash + 1), { flags, asking });
  // Servers have no namespace: who names one means something that has.
  if (asking.session.isNamespaceGiven && (await explained(first, whyKinds, { flags, asking }))) return;
  try {
    await whyOfServer(first, flags, asking);
  } catch (error) {
    // People of one namespace may not list Servers; what the name means there they may well read.
    const isElsewhere = error instanceof CliError || isForbidden(error);
    if (!isElsewhere || !(await explained(first, whyKinds, { flags, asking }))) throw error;
  }
}

function whyOfServer(name: string, flags: WhyFlags, asking: Asking): Promise<void> {
  return withRestIfThere(flags, asking.terminal, (rest) => whyServer(name, flags, { ...asking, rest }));
}

interface Given {
  readonly flags: WhyFlags;
  readonly asking: Asking;
}

async function whyOfKind(type: string, name: string, given: Given): Promise<void> {
  const { session } = given.asking;
  const named = type.toLowerCase() === 'host' ? 'baremetalhosts.metal3.io' : type;
  const { kind } = await session.mapper.byName(named);
  if (firmwareKinds.has(kind)) return await whyOfServer(name, given.flags, given.asking);
  if (await explained(name, [named], given)) return;
  throw new CliError(
    'failed',
    `there is no ${kind} "${name}" in the namespace ${session.namespace}; -n names another one`,
  );
}

/** Says whether there was something to explain. */
async function explained(name: string, types: readonly string[], { flags, asking }: Given): Promise<boolean> {
  const { session, terminal } = asking;
  const output = readOutputForm(flags.output);
  const found = await findObject(name, types, session);
  if (found === undefined) return false;
  await withRestIfThere(flags, terminal, (rest) => whyObject(found, { session, terminal, rest, output }));
  return true;
}

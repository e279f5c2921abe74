import type { ConditionRecord } from '../../conditionorc/index.ts';
import { backoffDelay, type Clock, sleep, systemClock } from '../../kube/index.ts';
import { CliError, usageError } from '../errors.ts';
import type { OutputForm } from '../output/output-form.ts';
import { renderShown } from '../output/show.ts';
import type { Terminal } from '../terminal.ts';
import {
  findServer,
  findSet,
  isUnreachable,
  type RestClient,
  readCondition,
  type ShownServer,
  type ShownSet,
} from './rest-client.ts';
import { InstallView, statusOf } from './show-install.ts';

/** What the command line asks for. */
export interface InstallOrder {
  readonly server: string;
  readonly set: string;
  /** Only these; all of the set when empty. */
  readonly components: readonly string[];
  readonly isDryRun: boolean;
  readonly isForced: boolean;
  /** Come back as soon as it is asked for. */
  readonly isDetached: boolean;
  /** How the condition is printed at the end; anything but a table sends what is told meanwhile to the error output. */
  readonly output?: OutputForm;
}

/** Asks for an install and shows it until it is over. */
export async function installFirmware(
  client: RestClient,
  order: InstallOrder,
  given: { readonly terminal: Terminal; readonly clock?: Clock },
): Promise<void> {
  const { clock = systemClock } = given;
  const { output } = order;
  const isForPeople = output === undefined || output.form === 'table';
  const terminal: Terminal = isForPeople
    ? given.terminal
    : { ...given.terminal, out: (text) => given.terminal.err(text) };
  const show = (value: ConditionRecord): void => {
    if (isForPeople) return;
    const names = [`condition/${value.id}`];
    given.terminal.out(renderShown({ value, names, text: () => '' }, output));
  };
  const server = await findServer(client, order.server);
  const set = await findSet(client, order.set, server);
  const { record, message } = await client.ask<{ record: ConditionRecord; message: string }>({
    method: 'POST',
    path: `/api/v1/servers/${server.uuid}/firmwareInstall`,
    body: { ...firmwareOf(set, order.components), dry_run: order.isDryRun, force_install: order.isForced },
  });
  terminal.out(`${nameOf(server)}: ${message}, set ${set.name}, condition ${record.id}\n`);
  if (order.isDetached) return show(record);
  await follow({ client, terminal, clock, server, show, id: record.id });
}

function nameOf({ name, uuid }: ShownServer): string {
  return name === '' ? uuid : name;
}

function firmwareOf(set: ShownSet, components: readonly string[]): object {
  if (components.length === 0) return { firmware_set_id: set.uuid };
  const there = new Set(set.component_firmware.map(({ component }) => component));
  const missing = components.filter((component) => !there.has(component.toLowerCase()));
  if (missing.length > 0) {
    const has = [...there].sort().join(', ');
    throw usageError(`--component: the set ${set.name} has nothing for ${missing.join(', ')}; it has ${has}`);
  }
  const wanted = components.map((component) => component.toLowerCase());
  const chosen = set.component_firmware.filter(({ component }) => wanted.includes(component));
  return { firmwares: chosen.map(({ uuid }) => uuid) };
}

interface Followed {
  readonly client: RestClient;
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly server: ShownServer;
  readonly id: string;
  /** Prints the condition for programs, where they asked for it. */
  readonly show: (condition: ConditionRecord) => void;
}

/** How often is looked. */
const everyMs = 400;

/** Services that are restarted meanwhile come back; those that do not are given up after so many tries. */
const mostFailures = 20;

async function follow(followed: Followed): Promise<void> {
  const { client, terminal, clock, id } = followed;
  const { interrupted } = terminal;
  const view = new InstallView(terminal);
  for (let failures = 0; ; ) {
    if (interrupted.aborted) throw leaveRunning(view, id);
    try {
      const condition = await readCondition(client, id);
      failures = 0;
      view.show(condition);
      if (condition.finalized_at !== null) {
        view.clear();
        followed.show(condition);
        return tellEnd(followed, condition);
      }
    } catch (error) {
      if (!isUnreachable(error) || ++failures > mostFailures) throw error;
    }
    const pause = failures === 0 ? everyMs : backoffDelay({ baseMs: 250, maxMs: 3000 }, failures, Math.random);
    await sleep(clock, pause, interrupted);
  }
}

function leaveRunning(view: InstallView, id: string): CliError {
  view.clear();
  const text = `the install goes on without this command. See it with "rackwright conditions", stop it with "rackwright cancel ${id}"`;
  return new CliError('still-running', text);
}

function tellEnd({ terminal, server }: Followed, condition: ConditionRecord): void {
  const { message = '', result } = statusOf(condition);
  if (condition.state === 'succeeded' && result === 'partial') {
    throw new CliError('work-partial', `${nameOf(server)}: installed in part: ${message}`);
  }
  if (condition.state === 'succeeded') {
    terminal.out(`${nameOf(server)}: succeeded${message === '' ? '' : `, ${message}`}\n`);
    return;
  }
  const { code = '', message: why = message } = condition.reason ?? {};
  const isCancelled = code === 'Cancelled';
  const text = `the install on ${nameOf(server)} ${isCancelled ? 'was cancelled' : 'failed'}: ${why}`;
  throw new CliError(isCancelled ? 'work-cancelled' : 'work-failed', text);
}

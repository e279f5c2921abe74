import { symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Work } from '../../../engine/index.ts';
import type { Firmware, HeldBmc } from '../../../flasher/index.ts';
import { type Clock, sleep } from '../../../kube/index.ts';
import { JobError } from '../../errors.ts';
import type { StrategyTools } from '../strategy.ts';
import { type CommandValues, fillCommand } from './fill-command.ts';
import { defaultDeadlineSeconds } from './read-output.ts';
import { type CommandEnd, runCommand } from './run-command.ts';
import type { CommandTemplate } from './settings.ts';
import { noteNames, openToolFolder } from './tool-folders.ts';

/** What commands for one server are run with. */
export interface CommandSession {
  readonly work: Work;
  readonly held: HeldBmc;
  readonly tools: StrategyTools;
  readonly server: { readonly manufacturer: string; readonly model: string };
  readonly environment: Readonly<Record<string, string>>;
}

/** What one command is about. */
export interface CommandCall {
  readonly template: CommandTemplate;
  readonly firmware?: Firmware;
  /** Where the image is on this machine. */
  readonly imagePath?: string;
  readonly onLine?: (line: string) => void;
  /** Said with each renewal of the lease. */
  readonly status: () => Parameters<HeldBmc['report']>[0];
}

/**
 * Runs a command for a server: in a folder of its own, with the credentials in a file there, after this process has logged
 * out of the BMC, whose few sessions the command needs. The lease is renewed while it runs, for as long as its template
 * allows it to; when the lease is lost, or the work is cancelled where that is safe, the command is ended.
 */
export async function callCommand(session: CommandSession, call: CommandCall): Promise<CommandEnd> {
  const { work, held, tools, environment } = session;
  const toolFolder = await openToolFolder(held.bmc.gate.endpoint.origin);
  const folder = toolFolder.path;
  const ending = new AbortController();
  try {
    const { values, password } = await prepare(session, call, folder);
    const command = fillCommand(call.template.command, values);
    // The command goes to the address by itself, past the gate.
    await held.confirmMachine();
    await held.bmc.gate.logOut();
    await work.check();
    const deadlineMs = (call.template.deadlineSeconds ?? defaultDeadlineSeconds) * 1000;
    const running = runCommand({
      command,
      cwd: folder,
      environment: { ...environment, HOME: folder, TMPDIR: folder },
      deadlineMs,
      signal: AbortSignal.any([work.signal, ending.signal]),
      clock: tools.clock,
      secrets: [password],
      onStart: (group) => toolFolder.note(group, tools.clock.now() + deadlineMs),
      ...(call.onLine === undefined ? {} : { onLine: call.onLine }),
    });
    return await whileRenewing(running, { session, call, ending, clock: tools.clock });
  } finally {
    await toolFolder.remove();
  }
}

async function whileRenewing(
  running: Promise<CommandEnd>,
  about: {
    readonly session: CommandSession;
    readonly call: CommandCall;
    readonly ending: AbortController;
    readonly clock: Clock;
  },
): Promise<CommandEnd> {
  const { session, call, ending, clock } = about;
  const over = new AbortController();
  const watched = running.finally(() => over.abort());
  watched.catch(() => {});
  try {
    while (!over.signal.aborted) {
      await sleep(
        clock,
        session.work.lease.leaseMs / 4,
        AbortSignal.any([over.signal, session.work.signal, session.work.ending]),
      );
      if (!over.signal.aborted) await session.held.report(call.status());
      // A cancel that has to wait would wake this at once, again and again.
      if (session.work.ending.aborted && !over.signal.aborted)
        await sleep(clock, session.work.lease.leaseMs / 4, over.signal);
    }
  } catch (error) {
    ending.abort();
    await watched.catch(() => {});
    throw error;
  }
  return await watched;
}

async function prepare(
  { held, server }: CommandSession,
  { template, firmware, imagePath }: CommandCall,
  folder: string,
): Promise<{ readonly values: CommandValues; readonly password: string }> {
  const { endpoint, origin } = held.bmc.gate;
  const { hostname, port, protocol } = new URL(origin);
  const { username, password } = await endpoint.credentials();
  const credentialsFile = join(folder, credentialsName);
  await writeFile(credentialsFile, credentialsText(template.credentials ?? 'json', { username, password }), {
    mode: 0o600,
  });
  const imageName = firmware === undefined ? '' : imageNameOf(firmware);
  const image = imagePath === undefined ? '' : join(folder, imageName);
  // Tools judge images by how their names end.
  if (imagePath !== undefined) await symlink(imagePath, image);
  const values = {
    bmcHost: hostname.replaceAll(/[[\]]/g, ''),
    bmcPort: port === '' ? (protocol === 'http:' ? '80' : '443') : port,
    bmcOrigin: origin,
    username,
    credentialsFile,
    ...server,
    image,
    imageName,
    component: firmware?.component ?? '',
    version: firmware?.version ?? '',
  };
  return { values, password };
}

function imageNameOf({ filename, url }: Firmware): string {
  const name = basename(filename === '' ? new URL(url).pathname : filename);
  return ['', '.', '..', credentialsName, ...noteNames].includes(name) ? 'image.bin' : name;
}

const credentialsName = 'credentials';

function credentialsText(
  form: NonNullable<CommandTemplate['credentials']>,
  { username, password }: { readonly username: string; readonly password: string },
): string {
  if (form === 'json') return `${JSON.stringify({ username, password })}\n`;
  if (/[\r\n]/.test(username + password)) {
    throw new JobError('commandNotFound', {
      command: 'given',
      detail: 'the credentials have line ends in them: use credentials: json',
    });
  }
  return form === 'password' ? password : `username=${username}\npassword=${password}\n`;
}

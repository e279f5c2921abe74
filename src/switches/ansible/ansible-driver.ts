import type { PortWrite, SwitchDriver } from '../device/index.ts';
import { done, failedForAll, type PortResults, type SwitchResult } from '../switch-result.ts';
import type { AnsibleSystem, SystemReading } from './ansible-system.ts';
import { failureOf } from './failure-of-answer.ts';
import { keyDigests } from './host-keys.ts';
import type { RunnerOrder, RunnerTask, TaskResult } from './runner-order.ts';
import type { AnsibleRunner } from './runner-process.ts';

/** What goes with every order to one switch. */
export type RunnerLogin = Omit<RunnerOrder, 'tasks' | 'vars' | 'knownHosts'>;

/** What the driver of one switch is made of. */
export interface AnsibleDriverOptions {
  readonly title: string;
  readonly system: AnsibleSystem;
  readonly runner: AnsibleRunner;
  readonly login: RunnerLogin;
  /** The host keys to trust; null for any. Asked before each order. */
  knownHosts(signal: AbortSignal): Promise<SwitchResult<string | null>>;
}

/** Drives one switch by plays of Ansible. */
export function createAnsibleDriver(given: AnsibleDriverOptions): SwitchDriver {
  const { title, system } = given;
  let trusted: string | null = null;
  const options: AnsibleDriverOptions = {
    ...given,
    async knownHosts(signal) {
      const keys = await given.knownHosts(signal);
      if (keys.kind === 'done') trusted = keys.value;
      return keys;
    },
  };
  // A write always follows a read; what that read is not read again for it.
  let last: SystemReading | undefined;
  const look = async (signal: AbortSignal): Promise<SwitchResult<SystemReading>> => {
    const seen = await ask(options, { tasks: system.readTasks(), understand: system.understand }, signal);
    if (seen.kind === 'done') last = seen.value;
    return seen;
  };
  const { neighbours } = system;
  return {
    title,
    abilities: {
      writes: system.writes,
      reads: system.reads,
      canListPorts: system.canListPorts,
      canReadNeighbours: neighbours !== undefined,
      canWatch: false,
      canBatch: true,
    },
    async verify(signal) {
      const seen = system.loginTasks === undefined ? await look(signal) : await logIn(options, signal);
      if (seen.kind !== 'done') return seen;
      const { version = system.system } = seen.value;
      return done({ system: version, ...(trusted === null ? {} : { hostKeys: keyDigests(trusted) }) });
    },
    async listPorts(signal) {
      if (!system.canListPorts)
        return { kind: 'unsupported', aspects: [], message: `${title} does not list its ports this way` };
      const seen = await look(signal);
      return seen.kind === 'done' ? done(seen.value.ports ?? []) : seen;
    },
    async read(ports, signal) {
      const seen = await look(signal);
      if (seen.kind !== 'done') return failedForAll(ports, seen);
      return new Map(ports.map((port) => [port, seen.value.portOf(port)]));
    },
    async write(writes, signal) {
      const seen = last === undefined ? await look(signal) : done(last);
      if (seen.kind !== 'done')
        return failedForAll(
          writes.map(({ port }) => port),
          seen,
        );
      return writeAll(options, { writes, seen: seen.value }, signal);
    },
    ...(neighbours === undefined
      ? {}
      : {
          readNeighbours: (signal: AbortSignal) =>
            ask(options, { tasks: neighbours.tasks(), understand: neighbours.understand }, signal),
        }),
    ...(system.whyNot === undefined ? {} : { whyNot: system.whyNot }),
    close: async () => undefined,
  };
}

interface Reading<T> {
  readonly tasks: readonly RunnerTask[];
  readonly understand: (results: readonly TaskResult[]) => T;
}

/** Runs tasks that only read, and makes sense of what they printed. */
async function ask<T>(
  options: AnsibleDriverOptions,
  { tasks, understand }: Reading<T>,
  signal: AbortSignal,
): Promise<SwitchResult<T>> {
  const results = await runTasks(options, tasks, signal);
  if (results.kind !== 'done') return results;
  try {
    return done(understand(results.value));
  } catch (error) {
    const detail = error instanceof Error ? error.message : 'unreadable';
    return { kind: 'refused', message: `what ${options.title} printed makes no sense: ${detail}` };
  }
}

/** Logs in where nothing is read: only that shows whether the switch is there and takes the credentials. */
function logIn(
  options: AnsibleDriverOptions,
  signal: AbortSignal,
): Promise<SwitchResult<{ readonly version?: string }>> {
  const understand = (results: readonly TaskResult[]) => {
    if (results.length === 0) throw new Error('nothing at all');
    return {};
  };
  return ask(options, { tasks: options.system.loginTasks?.() ?? [], understand }, signal);
}

interface WriteOrder {
  readonly writes: readonly PortWrite[];
  readonly seen: SystemReading;
}

/** All ports in one play; when the switch refuses that, each alone, so that only the bad one fails. */
async function writeAll(
  options: AnsibleDriverOptions,
  { writes, seen }: WriteOrder,
  signal: AbortSignal,
): Promise<PortResults<undefined>> {
  const together = await writeTogether(options, { writes, seen }, signal);
  const isAlone = writes.length === 1 || (together.kind !== 'refused' && together.kind !== 'no-port');
  if (isAlone) return new Map(writes.map(({ port }) => [port, together]));
  const results = new Map<string, SwitchResult<undefined>>();
  for (const write of writes) results.set(write.port, await writeTogether(options, { writes: [write], seen }, signal));
  return results;
}

async function writeTogether(
  options: AnsibleDriverOptions,
  { writes, seen }: WriteOrder,
  signal: AbortSignal,
): Promise<SwitchResult<undefined>> {
  const written = await runTasks(options, options.system.writeTasks(writes, seen), signal);
  return written.kind === 'done' ? done(undefined) : written;
}

async function runTasks(
  { title, system, runner, login, knownHosts }: AnsibleDriverOptions,
  tasks: readonly RunnerTask[],
  signal: AbortSignal,
): Promise<SwitchResult<readonly TaskResult[]>> {
  const keys = await knownHosts(signal);
  if (keys.kind !== 'done') return keys;
  if (tasks.length === 0) return done([]);
  const answer = await runner.run({ ...login, knownHosts: keys.value, vars: system.vars, tasks }, signal);
  return failureOf(title, answer) ?? done(answer.results ?? []);
}

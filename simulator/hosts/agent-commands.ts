import { randomUUID } from 'node:crypto';
import { type Clock, sleep } from '../../src/kube/index.ts';
import type { JsonObject } from '../redfish/route.ts';
import { listSteps, type StepKind, workOfStep } from './agent-steps.ts';
import { asObject, asText, type ImageOrder, imageOrder } from './image-order.ts';

/** A command as Ironic's agent API shows it. */
export interface AgentCommand {
  readonly id: string;
  readonly command_name: string;
  readonly command_params: JsonObject;
  command_status: 'RUNNING' | 'SUCCEEDED' | 'FAILED';
  command_error: JsonObject | null;
  command_result: JsonObject | null;
}

/** What commands do to the host. */
export interface CommandEffects {
  /** Writes an image to the disk; throws with a reason when it cannot be had or is not what was promised. */
  writeImage(order: ImageOrder, signal: AbortSignal): Promise<void>;
  eraseDisks(): void;
  powerOff(): void;
  reboot(): void;
  note(event: string, detail: string): void;
}

/** A command that is not even begun, with the status that says why: 409 is busy, 400 and 404 are not known. */
export class CommandRefused extends Error {
  readonly status: 400 | 404 | 409;

  constructor(status: 400 | 404 | 409, message: string) {
    super(message);
    this.status = status;
  }
}

/** Long ones are told about when they end; short ones are over before anybody could ask. */
interface Work {
  readonly isLong: boolean;
  run(): Promise<JsonObject>;
}

const stepDurationMs = 20_000;
const keptCommands = 50;
const extensions: readonly string[] = ['standby', 'clean', 'deploy', 'service', 'image', 'log', 'system', 'rescue'];

/** The commands a booted agent was given; one runs at a time. */
export class AgentCommands {
  readonly #effects: CommandEffects;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #all: AgentCommand[] = [];
  #listeners: readonly (() => void)[] = [];

  constructor(options: { effects: CommandEffects; clock: Clock; signal: AbortSignal }) {
    this.#effects = options.effects;
    this.#clock = options.clock;
    this.#signal = options.signal;
  }

  get all(): readonly AgentCommand[] {
    return this.#all;
  }

  /** Tells when a long command is over, so that whoever gave it can be told; returns how to stop. */
  onDone(listener: () => void): () => void {
    const own = (): void => listener();
    this.#listeners = [...this.#listeners, own];
    return () => {
      this.#listeners = this.#listeners.filter((each) => each !== own);
    };
  }

  /** Starts a command; refused while another runs, and when its name is not known. */
  start(name: string, params: JsonObject): { readonly command: AgentCommand; readonly done: Promise<void> } {
    const running = this.#all.find((each) => each.command_status === 'RUNNING');
    if (running !== undefined) throw new CommandRefused(409, `Agent is busy: ${running.command_name} is running`);
    const work = this.#workOf(name, params);
    const command: AgentCommand = {
      id: randomUUID(),
      command_name: name.split('.').at(-1) ?? name,
      command_params: params,
      command_status: 'RUNNING',
      command_error: null,
      command_result: null,
    };
    this.#all.push(command);
    if (this.#all.length > keptCommands) this.#all.shift();
    this.#effects.note('agent.command', `name=${name}`);
    return { command, done: this.#finish(command, work) };
  }

  async #finish(command: AgentCommand, work: Work): Promise<void> {
    try {
      command.command_result = await work.run();
      command.command_status = 'SUCCEEDED';
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      command.command_status = 'FAILED';
      command.command_error = { type: 'CommandExecutionError', code: 500, message, details: message };
    }
    this.#effects.note('agent.done', `name=${command.command_name} status=${command.command_status}`);
    if (work.isLong) for (const listener of this.#listeners) listener();
  }

  #workOf(name: string, params: JsonObject): Work {
    const [extension = '', verb = ''] = name.split('.');
    if (!extensions.includes(extension)) throw new CommandRefused(404, `Extension with id ${extension} not found`);
    const [, action, kind] = /^(get|execute)_(clean|deploy|service)_steps?$/.exec(verb) ?? [];
    if (kind === extension && action === 'get') return quick(listSteps(kind as StepKind));
    if (kind === extension && action === 'execute') return long(() => this.#execute(kind as StepKind, params));
    const work = this.#plainWork(name, params);
    if (work === undefined) throw new CommandRefused(400, `Invalid command: unknown command ${name}`);
    return work;
  }

  #plainWork(name: string, params: JsonObject): Work | undefined {
    switch (name) {
      case 'standby.prepare_image':
      case 'standby.cache_image':
        return long(() => this.#prepareImage(params));
      case 'image.install_bootloader':
        return long(async () => ({ result: 'install_bootloader: None' }));
      case 'standby.sync':
      case 'system.lockdown':
        return quick({ result: name });
      case 'standby.get_partition_uuids':
        return quick({});
      case 'log.collect_system_logs':
        return quick({ system_logs: '' });
      case 'standby.power_off':
        return long(async () => this.#end(() => this.#effects.powerOff()));
      case 'standby.reboot':
      case 'standby.run_image':
        return long(async () => this.#end(() => this.#effects.reboot()));
      default:
        return undefined;
    }
  }

  #end(how: () => void): JsonObject {
    how();
    return {};
  }

  async #execute(kind: StepKind, params: JsonObject): Promise<JsonObject> {
    const step = asObject(params.step);
    const name = asText(step.step);
    if (name === undefined) throw new Error(`Malformed ${kind}_step, no "step" key`);
    const work = workOfStep(kind, name);
    if (work === undefined) throw new Error(`Could not find method: ${name}`);
    await sleep(this.#clock, stepDurationMs, this.#signal);
    if (this.#signal.aborted) throw new Error(`the host stopped during ${name}`);
    if (work === 'write-image') await this.#prepareImage(asObject(step.args));
    if (work === 'erase-disks') this.#effects.eraseDisks();
    return { [`${kind}_result`]: null, [`${kind}_step`]: step };
  }

  async #prepareImage(params: JsonObject): Promise<JsonObject> {
    await this.#effects.writeImage(imageOrder(params), this.#signal);
    return { result: `prepare_image: image written to device` };
  }
}

function quick(result: JsonObject): Work {
  return { isLong: false, run: async () => result };
}

function long(run: () => Promise<JsonObject>): Work {
  return { isLong: true, run };
}

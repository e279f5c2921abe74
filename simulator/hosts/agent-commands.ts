import { randomUUID } from 'node:crypto';
import { type Clock, sleep } from '../../src/kube/index.ts';
import type { JsonObject, JsonValue } from '../redfish/route.ts';

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
  powerOff(): void;
  reboot(): void;
  note(event: string, detail: string): void;
}

/** The image that `standby.prepare_image` asks for. */
export interface ImageOrder {
  readonly url: string;
  readonly hashAlgorithm: string | undefined;
  readonly hashValue: string | undefined;
  readonly hasConfigDrive: boolean;
}

/** A command that cannot be carried out, said to the caller as such. */
export class CommandRefused extends Error {}

const stepManager = 'GenericHardwareManager';
const stepDurationMs = 20_000;
const keptCommands = 50;

/** The commands a booted agent was given; one runs at a time. */
export class AgentCommands {
  readonly #effects: CommandEffects;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #all: AgentCommand[] = [];

  constructor(options: { effects: CommandEffects; clock: Clock; signal: AbortSignal }) {
    this.#effects = options.effects;
    this.#clock = options.clock;
    this.#signal = options.signal;
  }

  get all(): readonly AgentCommand[] {
    return this.#all;
  }

  /** Starts a command; refused while another runs, and when its name is not known. */
  start(name: string, params: JsonObject): { readonly command: AgentCommand; readonly done: Promise<void> } {
    const running = this.#all.find((each) => each.command_status === 'RUNNING');
    if (running !== undefined) throw new CommandRefused(`Agent is busy: ${running.command_name} is running`);
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

  async #finish(command: AgentCommand, work: () => Promise<JsonObject>): Promise<void> {
    try {
      command.command_result = await work();
      command.command_status = 'SUCCEEDED';
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      command.command_status = 'FAILED';
      command.command_error = { type: 'CommandExecutionError', code: 500, message, details: message };
    }
    this.#effects.note('agent.done', `name=${command.command_name} status=${command.command_status}`);
  }

  #workOf(name: string, params: JsonObject): () => Promise<JsonObject> {
    const [extension = '', verb = ''] = name.split('.');
    const steps = /^get_(clean|deploy|service)_steps$/.exec(verb)?.[1];
    if (steps === extension && steps !== undefined) return async () => listSteps(steps);
    const step = /^execute_(clean|deploy|service)_step$/.exec(verb)?.[1];
    if (step === extension && step !== undefined) return () => this.#execute(step, params);
    switch (name) {
      case 'standby.prepare_image':
      case 'standby.cache_image':
        return () => this.#prepareImage(params);
      case 'image.install_bootloader':
      case 'standby.sync':
      case 'system.lockdown':
        return async () => ({ result: name });
      case 'standby.get_partition_uuids':
        return async () => ({ 'root uuid': '', 'efi system partition uuid': '' });
      case 'log.collect_system_logs':
        return async () => ({ system_logs: '' });
      case 'standby.power_off':
        return async () => {
          this.#effects.powerOff();
          return {};
        };
      case 'standby.reboot':
      case 'standby.run_image':
        return async () => {
          this.#effects.reboot();
          return {};
        };
      default:
        throw new CommandRefused(`Unknown command ${name}`);
    }
  }

  async #execute(kind: string, params: JsonObject): Promise<JsonObject> {
    const step = params.step as JsonValue;
    await sleep(this.#clock, stepDurationMs, this.#signal);
    return { [`${kind}_result`]: null, [`${kind}_step`]: step };
  }

  async #prepareImage(params: JsonObject): Promise<JsonObject> {
    const order = imageOrder(params);
    await this.#effects.writeImage(order, this.#signal);
    return { result: `prepare_image: image written to device` };
  }
}

function listSteps(kind: string): JsonObject {
  const step = { clean: 'erase_devices_metadata', deploy: 'write_image', service: 'apply_settings' }[kind] ?? kind;
  return {
    [`${kind}_steps`]: {
      [stepManager]: [
        { step, priority: kind === 'clean' ? 10 : 0, interface: 'deploy', reboot_requested: false, abortable: true },
      ],
    },
    hardware_manager_version: { generic_hardware_manager: '1.2' },
  };
}

function imageOrder(params: JsonObject): ImageOrder {
  const info = asObject(params.image_info);
  const urls = Array.isArray(info.urls) ? info.urls : [];
  const [url] = urls;
  if (typeof url !== 'string') throw new CommandRefused('image_info has no url');
  return {
    url,
    hashAlgorithm: asText(info.os_hash_algo),
    hashValue: asText(info.os_hash_value),
    hasConfigDrive: asText(params.configdrive) !== undefined,
  };
}

function asObject(value: JsonValue | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

function asText(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

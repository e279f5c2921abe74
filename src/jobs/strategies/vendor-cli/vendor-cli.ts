import { type FirmwareSlot, type Inventory, readInventory, setPower, waitForPost } from '../../../bmc/index.ts';
import type { JsonObject, Work, WorkOutcome } from '../../../engine/index.ts';
import { createStepStatus, type Firmware, type HeldBmc, holdBmc, type StepStatus } from '../../../flasher/index.ts';
import { applyReportedVersion, getPartClass, isPartOfServer, toComponent } from '../../../parts/index.ts';
import { JobError } from '../../errors.ts';
import { defineStrategy, type StrategyTools } from '../strategy.ts';
import { isInstalled, requireHardware, wantedOf } from '../wanted-firmware.ts';
import { awaitTools } from './await-tools.ts';
import { type CommandSession, callCommand } from './command-session.ts';
import { judgeCommand, type PrintedFirmware, readFirmwareLines, readPercent } from './read-output.ts';
import { chooseTemplate, readVendorCliSettings, type VendorCliSettings, type VendorTemplate } from './settings.ts';
import { sweepToolFolders } from './tool-folders.ts';

/** By vendors' own command-line tools, one command template for each manufacturer. */
export const vendorCli = defineStrategy({
  name: 'vendor-cli',
  async create(given) {
    const settings = readVendorCliSettings(given);
    await sweepToolFolders();
    return {
      name: 'vendor-cli',
      update: (work, tools) => new CliRun(work, tools, settings).update(),
      scan: (work, tools) => new CliRun(work, tools, settings).scan(),
    };
  },
});

class CliRun {
  readonly #work: Work;
  readonly #tools: StrategyTools;
  readonly #settings: VendorCliSettings;
  readonly #status: StepStatus;
  #percent = 0;

  constructor(work: Work, tools: StrategyTools, settings: VendorCliSettings) {
    this.#work = work;
    this.#tools = tools;
    this.#settings = settings;
    this.#status = createStepStatus(work.condition.status, tools.clock);
  }

  async scan(): Promise<WorkOutcome> {
    const held = await this.#hold();
    const { inventory } = await this.#read(held);
    await this.#store(held, inventory);
    this.#status.say(`${inventory.firmware.length} versions were read`);
    return { outcome: 'succeeded', status: this.#shown() };
  }

  async update(): Promise<WorkOutcome> {
    const held = await this.#hold();
    const wanted = wantedOf(this.#work.condition.parameters);
    const isForced = this.#work.condition.parameters.force_install === true;
    const before = await this.#read(held);
    const begunAt = numberIn(this.#work.condition.progress, 'at');
    for (const firmware of wanted.slice(begunAt)) requireHardware(before.inventory, firmware);
    for (const [at, firmware] of wanted.entries()) {
      this.#percent = Math.floor((100 * at) / wanted.length);
      if (at < begunAt) continue;
      // After a crash nobody knows how far the command of that image got, so its version is looked at even if forced.
      const isResumed = at === begunAt && this.#work.condition.progress.isBegun === true;
      if ((!isForced || isResumed) && isInstalled(before.inventory, firmware)) continue;
      await this.#install(firmware, { ...before, at, of: wanted.length });
    }
    const { inventory } = await this.#read(held);
    await this.#store(held, inventory);
    const missing = wanted.filter((firmware) => !isInstalled(inventory, firmware));
    const progress = { at: wanted.length };
    if (missing.length === 0) {
      this.#percent = 100;
      this.#status.say(`${wanted.length} installed`);
      return { outcome: 'succeeded', status: this.#shown(), progress };
    }
    const message = `the commands ended well, but the server does not show ${missing.map(({ component, version }) => `${component} ${version}`).join(', ')}`;
    this.#status.say(message);
    return { outcome: 'failed', reason: { code: 'VersionMismatch', message }, status: this.#shown(), progress };
  }

  /** The server, once no command of an earlier life works on it. */
  async #hold(): Promise<HeldBmc> {
    const { servers, clock } = this.#tools;
    const access = await servers.find(this.#work.condition.target);
    const shown = (): JsonObject => {
      this.#status.say('a command that was begun before still runs and is waited for');
      return this.#shown();
    };
    if (access !== undefined) await awaitTools(this.#work, { origin: access.endpoint.origin, clock, shown });
    return await holdBmc(this.#work, this.#tools);
  }

  async #install(
    firmware: Firmware,
    about: {
      readonly at: number;
      readonly of: number;
      readonly session: CommandSession;
      readonly template: VendorTemplate;
    },
  ): Promise<void> {
    const { at, of, session } = about;
    const { update } = about.template;
    const { held } = session;
    const { url, checksum, sizeBytes, component, version } = firmware;
    if (update.components?.every((each) => toComponent(each) !== component) === true) {
      throw new JobError('noTemplate', { what: component, ...session.server });
    }
    this.#status.say(`the image of ${component} ${version} is fetched`);
    await held.report({ status: this.#shown() });
    const artifact = await this.#tools.artifacts.open({ url, checksum, sizeBytes, signal: this.#work.signal });
    try {
      this.#status.say(`${component} ${version} is installed`);
      await held.report({ status: this.#shown(), progress: { at, isBegun: true }, isCancelUnsafe: true });
      const endOutage = held.bmc.gate.expectOutage();
      try {
        const end = await callCommand(session, {
          template: update,
          firmware,
          imagePath: artifact.path,
          status: () => ({ status: this.#shown() }),
          onLine: (line) => {
            const percent = readPercent(update.progressPattern, line);
            if (percent !== undefined) this.#percent = Math.floor((100 * at + percent) / of);
          },
        });
        judgeCommand(update, end);
        if (isRestartDue(update, end.code)) await this.#restart(held);
      } finally {
        endOutage();
      }
      await held.report({ status: this.#shown(), progress: { at: at + 1 }, isCancelUnsafe: false });
    } finally {
      await artifact.release();
    }
  }

  async #restart(held: HeldBmc): Promise<void> {
    this.#status.say('the host is restarted');
    await held.report({ status: this.#shown() });
    const { signal } = this.#work;
    await setPower(held.bmc, { target: 'reset', isGraceful: true, signal });
    await waitForPost(held.bmc, { ...this.#tools.settings.post, signal });
  }

  /** What the BMC shows, with what the vendor's command says put in its place. */
  async #read(held: HeldBmc) {
    this.#status.say('the server is read');
    await held.report({ status: this.#shown() });
    const inventory = await readInventory(held.bmc);
    const server = { manufacturer: inventory.system.manufacturer ?? '', model: inventory.system.model ?? '' };
    const template = chooseTemplate(this.#settings, server);
    const session: CommandSession = {
      work: this.#work,
      held,
      tools: this.#tools,
      server,
      environment: { ...basicEnvironment, ...this.#settings.environment },
    };
    if (template.scan === undefined) return { inventory, session, template };
    const end = await callCommand(session, { template: template.scan, status: () => ({ status: this.#shown() }) });
    judgeCommand(template.scan, end);
    const printed = readFirmwareLines(template.scan, end.lines);
    return {
      inventory: { ...inventory, firmware: mergeSlots(inventory.firmware, printed, server.manufacturer) },
      session,
      template,
    };
  }

  async #store(held: HeldBmc, inventory: Inventory): Promise<void> {
    const { condition, lease } = this.#work;
    await held.confirmMachine();
    await this.#tools.inventorySink.write({
      target: condition.target,
      inventory,
      biosSettings: undefined,
      readAt: this.#tools.clock.now(),
      lease: { conditionId: condition.id, token: lease.token },
    });
  }

  #shown(): JsonObject {
    return this.#status.with({ percent: this.#percent });
  }
}

/** Commands are found where programs of the system are; what else they need the settings say. */
const basicEnvironment: Readonly<Record<string, string>> = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LANG: 'C.UTF-8',
};

function isRestartDue(
  { restart = 'by-code', restartCodes = [] }: VendorTemplate['update'],
  code: number | undefined,
): boolean {
  if (restart === 'always') return true;
  return restart === 'by-code' && code !== undefined && restartCodes.includes(code);
}

/**
 * A command knows the components that it prints better than the BMC does. A part that both show keeps the identity that
 * the BMC gives it; a slot of the BMC that the command does not print is none.
 */
function mergeSlots(
  slots: readonly FirmwareSlot[],
  printed: readonly PrintedFirmware[],
  serverManufacturer: string,
): FirmwareSlot[] {
  const made = printed.flatMap(({ component, name, manufacturer = '', version }, at) => {
    const part = { name: component, manufacturer, version };
    const ofClass = slots.filter((each) => each.isBackup !== true && getPartClass(each) === toComponent(component));
    const named = ofClass.filter((each) => [each.slot, each.name, each.model].includes(name));
    const isOnly = ofClass.length === 1 && isPartOfServer(toComponent(component) ?? '');
    const same = isOnly ? ofClass : named;
    if (same.length > 0) return applyReportedVersion({ ...part, manufacturer: '' }, same, serverManufacturer);
    return applyReportedVersion({ ...part, model: name, slot: `${name}-${at}` }, [], serverManufacturer);
  });
  const known = new Set(made.map(({ component }) => component));
  return withOneOfEachSlot([...slots.filter(({ component }) => !known.has(component)), ...made]);
}

/** A command may print one part twice: the first line counts. */
function withOneOfEachSlot(slots: readonly FirmwareSlot[]): FirmwareSlot[] {
  return [...new Map(slots.toReversed().map((each) => [each.slot, each])).values()].toReversed();
}

function numberIn(progress: JsonObject, name: string): number {
  const value = progress[name];
  return typeof value === 'number' ? value : 0;
}

import type { BootSettings, HostPower } from './machine.ts';
import type { MachineBody } from './machine-body.ts';
import type { SavedBoot } from './saved-machine.ts';

const devices: Readonly<Record<string, NonNullable<HostPower['bootedFrom']>>> = {
  Pxe: 'pxe',
  Cd: 'cd',
  UsbCd: 'cd',
  UefiHttp: 'http',
  BiosSetup: 'bios',
  UefiShell: 'bios',
};

/** ComputerSystem.Boot of one machine. */
export class BootOverride implements BootSettings {
  readonly #machine: MachineBody;
  #enabled: BootSettings['enabled'] = 'Disabled';
  #target = 'None';
  #mode: BootSettings['mode'] = 'UEFI';
  #httpUri = '';

  constructor(machine: MachineBody) {
    this.#machine = machine;
  }

  get enabled(): BootSettings['enabled'] {
    return this.#enabled;
  }

  get target(): string {
    return this.#target;
  }

  get mode(): BootSettings['mode'] {
    return this.#mode;
  }

  get httpUri(): string {
    return this.#httpUri;
  }

  /** Changes all or nothing; `bad` names the member that cannot be, as Redfish spells it. */
  set(change: { enabled?: string; target?: string; mode?: string; httpUri?: string }): 'ok' | { readonly bad: string } {
    const { service } = this.#machine.personality;
    const { enabled = this.#enabled, target = this.#target, mode = this.#mode } = change;
    if (enabled !== 'Disabled' && enabled !== 'Once' && enabled !== 'Continuous') {
      return { bad: 'BootSourceOverrideEnabled' };
    }
    if (target !== 'None' && !service.bootTargets.includes(target)) return { bad: 'BootSourceOverrideTarget' };
    if ((mode !== 'UEFI' && mode !== 'Legacy') || (change.mode !== undefined && !service.hasBootMode)) {
      return { bad: 'BootSourceOverrideMode' };
    }
    this.#enabled = enabled;
    this.#target = target;
    this.#mode = mode;
    this.#httpUri = change.httpUri ?? this.#httpUri;
    this.#machine.log.add('boot.set', `enabled=${enabled} target=${target} mode=${mode}`);
    return 'ok';
  }

  /** What outlives the simulator; undefined when all is as it was out of the box. */
  save(): SavedBoot | undefined {
    const isNew =
      this.#enabled === 'Disabled' && this.#target === 'None' && this.#mode === 'UEFI' && this.#httpUri === '';
    return isNew
      ? undefined
      : { enabled: this.#enabled, target: this.#target, mode: this.#mode, httpUri: this.#httpUri };
  }

  restore(saved: SavedBoot): void {
    this.#enabled = saved.enabled;
    this.#target = saved.target;
    this.#mode = saved.mode;
    this.#httpUri = saved.httpUri;
  }

  /** Where the host boots from now; an override for one boot is used up by it. */
  choose(): NonNullable<HostPower['bootedFrom']> {
    if (this.#enabled === 'Disabled') return 'disk';
    const device = devices[this.#target] ?? 'disk';
    if (this.#enabled === 'Once') {
      this.#enabled = 'Disabled';
      this.#target = 'None';
    }
    // An empty virtual drive is skipped, as by any firmware.
    return device === 'cd' && !this.#machine.media.hasMedium ? 'disk' : device;
  }
}

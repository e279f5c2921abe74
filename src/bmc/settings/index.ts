export { type Bios, type BiosAttributes, type BiosOptions, readBios } from './bios.ts';
export { type BiosMismatch, type BiosOutcome, readBiosOutcome } from './bios-outcome.ts';
export { type BiosAttribute, type BiosRegistry, type BiosValue, parseRegistry } from './bios-registry.ts';
export { type BmcClock, readBmcClock, setBmcClock } from './bmc-clock.ts';
export {
  type Boot,
  type BootChange,
  type BootOption,
  type BootOverride,
  type BootOverrideEnabled,
  readBoot,
  readBootOptions,
  setBootOrder,
  setBootOverride,
} from './boot.ts';
export { type Indicator, readIndicator, setIndicator } from './indicator.ts';
export { type BiosPlan, type BiosProblem, planBiosChange } from './plan-bios-change.ts';
export { readSecureBoot, type SecureBoot, setSecureBoot } from './secure-boot.ts';
export { resetBiosToDefaults, type StagedBios, stageBios } from './stage-bios.ts';
export {
  ejectMedia,
  findVirtualDrive,
  insertMedium,
  listVirtualDrives,
  type MediumChange,
  type MediumOrder,
  type VirtualDrive,
} from './virtual-media.ts';

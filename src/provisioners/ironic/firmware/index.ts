export { planRaid, type RaidPlan } from './raid.ts';
export { readFirmwareComponents, readFirmwareSettings } from './read-firmware.ts';
export { type FirmwareChange, firmwareSteps, type NodeStep } from './steps.ts';
export { planUpdates, readUpdatesNote, sinceOf, type UpdatesNote } from './updates-note.ts';

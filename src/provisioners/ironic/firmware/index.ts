export { planRaid, type RaidPlan } from './raid.ts';
export { readFirmwareComponents, readFirmwareSettings, readVersions } from './read-firmware.ts';
export { type FirmwareChange, firmwareSteps, type NodeStep } from './steps.ts';
export { isAmong, madeOf, planUpdates, readUpdatesNote, sinceOf, type UpdatesNote } from './updates-note.ts';

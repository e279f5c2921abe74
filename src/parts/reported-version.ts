import type { ComponentType, FirmwareSlot } from '../bmc/index.ts';
import { isSameVendor } from '../versions/index.ts';
import { isPartOfServer, partName, toComponent } from './component.ts';
import { getPartClass, type InstalledPart } from './installed-part.ts';

/** A version that somebody reports to be installed, who may know less of the part than its BMC. */
export type ReportedVersion = Pick<InstalledPart, 'name' | 'manufacturer' | 'version'> &
  Partial<Pick<InstalledPart, 'model' | 'softwareId' | 'slot'>>;

/**
 * The slots that a report is about, with the version that it reports: of the known ones those that fit all that the
 * report says, else a new one.
 */
export function applyReportedVersion(
  report: ReportedVersion,
  known: readonly FirmwareSlot[],
  serverManufacturer: string,
): readonly FirmwareSlot[] {
  const { model = '', softwareId = '', slot = '', version } = report;
  const ofClass = known.filter((each) => each.isBackup !== true && getPartClass(each) === partName(report.name));
  const fitting = ofClass.filter(
    (each) =>
      (slot === '' || each.slot === slot) &&
      (model === '' || isSameText(each.model, model) || isSameText(each.name, model)) &&
      (softwareId === '' || [each.softwareId, ...(each.otherSoftwareIds ?? [])].includes(softwareId)),
  );
  const same = ofMaker(fitting, { ...report, serverManufacturer });
  if (same.length > 0) return same.map((each) => ({ ...each, version, pendingVersion: undefined }));
  return [toNewSlot(report)];
}

/** Whoever knows only the server may give its maker as that of every part. */
function ofMaker(
  slots: readonly FirmwareSlot[],
  by: { readonly name: string; readonly manufacturer: string; readonly serverManufacturer: string },
): readonly FirmwareSlot[] {
  if (isPartOfServer(partName(by.name)) || by.manufacturer === '') return slots;
  const made = slots.filter(({ vendor }) => isSameVendor(vendor ?? by.serverManufacturer, by.manufacturer));
  return made.length === 0 && isSameVendor(by.manufacturer, by.serverManufacturer) ? slots : made;
}

const longestSlot = 255;

function toNewSlot(report: ReportedVersion): FirmwareSlot {
  const { name, manufacturer, model = '', softwareId = '', slot = '', version } = report;
  const component = toComponent(name) ?? 'other';
  const place = [name, manufacturer, model].filter((text) => text !== '').join('/');
  return {
    slot: (slot === '' ? place : slot).slice(0, longestSlot),
    component: component === 'backplane' || component === 'cpu' ? 'other' : (component satisfies ComponentType),
    name: model === '' ? name : model,
    vendor: manufacturer === '' ? undefined : manufacturer,
    model: model === '' ? undefined : model,
    version,
    pendingVersion: undefined,
    previousVersion: undefined,
    isUpdateable: true,
    softwareId: softwareId === '' ? undefined : softwareId,
    uri: '',
    relatedItems: [],
    health: undefined,
  };
}

function isSameText(one: string | undefined, other: string): boolean {
  return one !== undefined && one.trim().toLowerCase() === other.trim().toLowerCase();
}

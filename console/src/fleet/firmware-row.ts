import type { KubeObject, StatusCondition } from '../api/kinds.ts';
import type { Tone } from '../parts/tone-name.ts';

/** What the overview keeps of a ServerFirmware. */
export interface FirmwareRow {
  readonly name: string;
  /** The name of the Server that it is about. */
  readonly server: string;
  readonly tone: Tone;
  readonly word: string;
  readonly why: string;
}

/** The reason of `UpToDate` while the job of an update lost its worker; `Progressing` says when another one resumes it. */
export const workerLost = 'WorkerLost';

/** A ServerFirmware as far as the console reads it. */
export interface ServerFirmwareObject extends KubeObject {
  readonly spec?: {
    readonly serverRef?: { readonly name?: string };
    readonly bios?: { readonly version?: string };
    readonly firmwares?: readonly Firmware[];
  };
  readonly status?: {
    readonly conditions?: readonly StatusCondition[];
    readonly firmwares?: readonly Firmware[];
    readonly bios?: { readonly version?: string };
    readonly lastScanTime?: string;
  };
}

/** One firmware of a server. */
export interface Firmware {
  readonly name: string;
  readonly manufacturer?: string;
  readonly model?: string;
  readonly softwareId?: string;
  readonly slot?: string;
  readonly version?: string;
}

/** Makes the row of a ServerFirmware. */
export function toFirmwareRow(object: KubeObject): FirmwareRow {
  const { metadata, spec, status } = object as ServerFirmwareObject;
  const server = spec?.serverRef?.name ?? metadata.name;
  return { name: metadata.name, server, ...complianceOf(status?.conditions ?? []) };
}

/** The word for a server without a declared version. */
export const noTarget = 'no target';

/** Whether a server has what it should. */
export function complianceOf(conditions: readonly StatusCondition[]): Pick<FirmwareRow, 'tone' | 'word' | 'why'> {
  const find = (type: string) => conditions.find((one) => one.type === type);
  const stalled = find('Stalled');
  if (stalled?.status === 'True') return { tone: 'bad', word: 'stalled', why: stalled.message ?? '' };
  const isUpToDate = find('UpToDate');
  if (isUpToDate?.status === 'True') return { tone: 'good', word: 'as wanted', why: isUpToDate.message ?? '' };
  const progress = find('Progressing');
  if (isUpToDate?.reason === workerLost) return { tone: 'warn', word: 'updating', why: progress?.message ?? '' };
  if (isUpToDate?.status === 'False') {
    const isMoving = progress?.status === 'True';
    return { tone: isMoving ? 'busy' : 'warn', word: isMoving ? 'updating' : 'behind', why: isUpToDate.message ?? '' };
  }
  if (isUpToDate?.reason === 'NoTarget') return { tone: 'idle', word: noTarget, why: isUpToDate.message ?? '' };
  return { tone: 'idle', word: 'unknown', why: isUpToDate?.message ?? 'It has not been scanned yet.' };
}

import type { FirmwareSettings, FirmwareUpdate, HostIdentity, Outcome, Serviced } from '../../provisioner.ts';
import { demoId } from './demo-hardware.ts';
import type { DemoPace, DemoStep } from './pace.ts';

/** What is remembered of a demo host. */
export interface DemoRecord {
  readonly id: string;
  /** What is on its disk; undefined where that is not known, since the process was restarted. */
  use: 'unused' | 'deployed' | undefined;
  /** What it runs; undefined where that is not known. */
  image?: string | undefined;
  isAvailable: boolean;
  isInspected: boolean;
  /** Undefined where that is not known. */
  isPoweredOn: boolean | undefined;
  maintenance: string | undefined;
  /** What is in its virtual drive. */
  dataImage?: string | undefined;
  /** Only what differs from what a host has at first. */
  settings: Map<string, string> | undefined;
  components: Map<string, { readonly version: string; readonly atMs: number }> | undefined;
  work: DemoWork | undefined;
  /** What went wrong last, until it is tried anew. */
  failure: { readonly step: DemoStep; readonly message: string } | undefined;
  /** The last attempt at changing the host in use. */
  serviced: { readonly ticket: string; readonly what: Serviced; isOver: boolean } | undefined;
  /** How often each step was begun. */
  readonly attempts: Partial<Record<DemoStep, number>>;
}

/** A step that is under way. */
export interface DemoWork {
  readonly step: DemoStep;
  readonly pace: DemoPace;
  readonly failure: string | undefined;
  readonly sinceMs: number;
  asked: number;
  finish(): void;
}

/** A host that was never seen. */
export function createRecord(host: HostIdentity): DemoRecord {
  return {
    id: demoId(host),
    use: 'unused',
    isAvailable: false,
    isInspected: false,
    isPoweredOn: false,
    maintenance: undefined,
    settings: undefined,
    components: undefined,
    work: undefined,
    failure: undefined,
    serviced: undefined,
    attempts: {},
  };
}

/** A host that is known by its id only, since the process was restarted. */
export function restoreRecord(host: HostIdentity): DemoRecord {
  return { ...createRecord(host), use: undefined, isAvailable: true, isInspected: true, isPoweredOn: undefined };
}

/** Puts settings and versions onto the host. */
export function applyFirmware(
  record: DemoRecord,
  change: {
    readonly settings?: FirmwareSettings | undefined;
    readonly updates?: readonly FirmwareUpdate[] | undefined;
  },
  nowMs: number,
): void {
  for (const [name, value] of Object.entries(change.settings ?? {})) {
    record.settings ??= new Map();
    record.settings.set(name, String(value));
  }
  for (const { component, url } of change.updates ?? []) {
    record.components ??= new Map();
    record.components.set(component, { version: versionOf(url), atMs: nowMs });
  }
}

/** The version that an image brings is the end of its name: `bios-1.1.0.bin`. */
function versionOf(url: string): string {
  const name = url.split('/').at(-1) ?? '';
  return /(\d[\w.]*?)(\.[a-z]+)?$/i.exec(name)?.[1] ?? name;
}

/** The outcome of what is done and has nothing to tell. */
export const done: Outcome = { kind: 'done', value: undefined };

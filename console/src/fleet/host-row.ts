import type { KubeObject, StatusCondition } from '../api/kinds.ts';
import type { Tone } from '../parts/tone-name.ts';
import { type HostHealthKind, isInTrouble, readHostHealth } from './host-health.gen.ts';
import { bmcHost, type MachineMarks } from './server-row.ts';

/** What the overview keeps of a BareMetalHost. */
export interface HostRow extends MachineMarks {
  readonly key: string;
  readonly namespace: string;
  readonly rack: string;
  readonly state: string;
  /** operationalStatus: OK, servicing, error ... */
  readonly status: string;
  readonly isOn: boolean;
  readonly isOnWanted: boolean;
  readonly model: string;
  readonly consumer: string;
  readonly since: string | undefined;
  readonly health: Health;
}

/** How a host is doing and why. */
export interface Health {
  readonly tone: Tone;
  /** One or two words. */
  readonly word: string;
  /** The reason in full; empty where all is well. */
  readonly why: string;
  /** Somebody has to look at it; what is only not known is no trouble yet. */
  readonly isTrouble: boolean;
}

/** A BareMetalHost as far as the console reads it. */
export interface HostObject extends KubeObject {
  readonly spec?: {
    readonly online?: boolean;
    readonly bmc?: { readonly address?: string };
    readonly bootMACAddress?: string;
    readonly consumerRef?: { readonly kind?: string; readonly name?: string; readonly namespace?: string };
    readonly image?: { readonly url?: string; readonly format?: string };
    readonly externallyProvisioned?: boolean;
    readonly ports?: readonly {
      readonly mac: string;
      readonly port: { readonly name: string; readonly namespace?: string };
    }[];
  };
  readonly status?: {
    readonly operationalStatus?: string;
    readonly errorType?: string;
    readonly errorMessage?: string;
    readonly errorCount?: number;
    readonly poweredOn?: boolean;
    readonly provisioning?: { readonly state?: string; readonly ID?: string; readonly bootMode?: string };
    readonly lastUpdated?: string;
    readonly hardware?: Hardware;
    readonly operationHistory?: Readonly<
      Record<string, { readonly start?: string | null; readonly end?: string | null } | undefined>
    >;
    readonly conditions?: readonly StatusCondition[];
  };
}

/** The hardware of a host. */
export interface Hardware {
  readonly systemVendor?: {
    readonly manufacturer?: string;
    readonly productName?: string;
    readonly serialNumber?: string;
  };
  readonly firmware?: {
    readonly bios?: { readonly vendor?: string; readonly version?: string; readonly date?: string };
  };
  readonly ramMebibytes?: number;
  readonly cpu?: {
    readonly arch?: string;
    readonly model?: string;
    readonly count?: number;
    readonly clockMegahertz?: number;
  };
  readonly hostname?: string;
  readonly nics?: readonly {
    readonly name?: string;
    readonly model?: string;
    readonly mac?: string;
    readonly ip?: string;
    readonly speedGbps?: number;
    readonly pxe?: boolean;
    readonly lldp?: { readonly portID?: string; readonly switchSystemName?: string };
  }[];
  readonly storage?: readonly {
    readonly name?: string;
    readonly model?: string;
    readonly type?: string;
    readonly rotational?: boolean;
    readonly sizeBytes?: number;
  }[];
}

/** Makes the row of a host. */
export function toHostRow(object: KubeObject): HostRow {
  const { metadata, spec, status } = object as HostObject;
  const vendor = status?.hardware?.systemVendor;
  const namespace = metadata.namespace ?? '';
  return {
    key: `${namespace}/${metadata.name}`,
    namespace,
    ...marksOf(object as HostObject),
    rack: rackOf(object),
    state: status?.provisioning?.state || 'new',
    status: status?.operationalStatus ?? '',
    isOn: status?.poweredOn === true,
    isOnWanted: spec?.online === true,
    model: [vendor?.manufacturer, vendor?.productName].filter(Boolean).join(' '),
    consumer: spec?.consumerRef?.name ?? '',
    since: status?.lastUpdated,
    health: healthOf(object as HostObject),
  };
}

/** What tells which machine a host is. */
export function marksOf({ metadata, spec, status }: HostObject): MachineMarks {
  return {
    name: metadata.name,
    mac: (spec?.bootMACAddress ?? '').toLowerCase(),
    serial: status?.hardware?.systemVendor?.serialNumber ?? '',
    address: bmcHost(spec?.bmc?.address),
  };
}

/** The rack by label, or else what names such as r07-s12 begin with. */
function rackOf({ metadata: { name, namespace = '', labels = {} } }: KubeObject): string {
  const label = labels['rackwright.io/rack'] ?? labels['topology.kubernetes.io/rack'] ?? labels.rack;
  return label ?? /^(.+?)-[a-z]*\d+$/.exec(name)?.[1] ?? namespace;
}

const tones: Readonly<Record<HostHealthKind, Tone>> = {
  ok: 'good',
  busy: 'busy',
  idle: 'idle',
  unknown: 'warn',
  attention: 'warn',
  error: 'bad',
};

/** Says how a host is doing, as everything else does that shows it. */
export function healthOf(host: HostObject): Health {
  const health = readHostHealth(host);
  return { tone: tones[health.kind], word: health.word, why: health.why, isTrouble: isInTrouble(health) };
}

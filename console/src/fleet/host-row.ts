import type { KubeObject, StatusCondition } from '../api/kinds.ts';
import type { Tone } from '../parts/tone.tsx';
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

/** States in which somebody works on the host. */
export const busyStates: ReadonlySet<string> = new Set([
  'importing',
  'registering',
  'inspecting',
  'preparing',
  'provisioning',
  'deprovisioning',
  'powering off before delete',
  'deleting',
]);

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

/** Says how a host is doing; what is broken comes before what is only being worked on. */
export function healthOf({ metadata, spec, status }: HostObject): Health {
  const state = status?.provisioning?.state ?? '';
  const condition = (type: string) => status?.conditions?.find((one) => one.type === type);
  if (status?.operationalStatus === 'error' || (status?.errorType ?? '') !== '') {
    return { tone: 'bad', word: status?.errorType ?? 'error', why: status?.errorMessage || 'It gave no reason.' };
  }
  const duplicate = condition('DuplicateMachine');
  if (duplicate?.status === 'True') return { tone: 'bad', word: 'duplicate', why: duplicate.message ?? '' };
  const healthy = condition('Healthy');
  if (healthy?.status === 'False')
    return { tone: 'bad', word: healthy.reason ?? 'unhealthy', why: healthy.message ?? '' };
  const network = condition('NetworkConfigured');
  if (network?.status === 'False' && /error|fail/i.test(network.reason ?? '')) {
    return { tone: 'warn', word: 'network', why: network.message ?? '' };
  }
  const updates = condition('LiveUpdates');
  if (updates?.reason === 'Failed') return { tone: 'bad', word: 'live update failed', why: updates.message ?? '' };
  if (status?.operationalStatus === 'servicing')
    return { tone: 'busy', word: 'live update', why: updates?.message ?? '' };
  if (status?.operationalStatus === 'detached')
    return { tone: 'warn', word: 'detached', why: 'Nobody looks after it.' };
  if (status?.operationalStatus === 'delayed') return { tone: 'warn', word: 'delayed', why: 'It waits for its turn.' };
  if (metadata.deletionTimestamp !== undefined) return { tone: 'busy', word: 'leaving', why: 'It is being deleted.' };
  if (busyStates.has(state)) return { tone: 'busy', word: state, why: '' };
  if (state === 'unmanaged' || state === '') return { tone: 'idle', word: state || 'new', why: '' };
  if (state === 'provisioned' && spec?.online === true && status?.poweredOn === false) {
    return { tone: 'warn', word: 'off', why: 'It should be on and is off.' };
  }
  return { tone: 'good', word: 'OK', why: '' };
}

import { readFileSync } from 'node:fs';
import { createGates, type TlsTrust } from '../../bmc/index.ts';
import type { Engine } from '../../engine/index.ts';
import {
  createHostNetwork,
  type HostAdmission,
  type HostInformers,
  type OpenExternalWork,
  startHostControllers,
} from '../../hosts/index.ts';
import { systemClock } from '../../kube/index.ts';
import type { NetworkInformers } from '../../network/index.ts';
import {
  createAbsentProvisioners,
  createIronicProvisioners,
  type IronicOptions,
  type Provisioners,
} from '../../provisioners/index.ts';
import { startDiscovery } from '../discovery/start-discovery.ts';
import { usageError } from '../errors.ts';
import type { Check } from '../install-service/readiness.ts';
import { readSecretFile } from '../install-service/secret-url.ts';
import { type ControllerSetParts, electionOf, followCaches } from '../plane/controller-set.ts';
import type { Settings } from '../settings.ts';
import { chooseProvisioner, whyNoSource } from './choose-provisioner.ts';
import { openEngineExternalWork } from './engine-external-work.ts';
import { type hostSettingNames, hostSettings } from './host-settings.ts';
import { holdForRack, noProvisioner } from './rack-provisioners.ts';

/** What host controllers are told. */
export type HostPlaneSettings = Settings<(typeof hostSettingNames)[number]>;

/** What host controllers of a process run on. */
export interface HostParts extends ControllerSetParts {
  /** Its workers and the provisioner keep out of each other's way; undefined where nobody else works on machines. */
  readonly engine: Engine | undefined;
  /** What is known of switch ports: hosts that are plugged in move theirs. */
  readonly network: NetworkInformers;
  /** Rules that look into the caches of the controllers once these are full. */
  readonly admission: HostAdmission;
  /** True when other processes may run them too. */
  readonly isShared: boolean;
  /** True where there is a simulated rack, whose time runs fast. */
  readonly hasRack: boolean;
  /** What looks after hosts without an Ironic, where something does. */
  readonly native?: Provisioners | undefined;
  /** How the certificate of a BMC is checked, where one is asked past an Ironic. */
  readonly trustOf?: ((origin: string) => TlsTrust) | undefined;
}

/** Running controllers of hosts. */
export interface RunningHosts {
  readonly check: Check;
  /** Resolves when the caches are full: from then on hosts are let in. */
  readonly ready: Promise<void>;
  readonly hosts: HostInformers['hosts'];
}

/** Starts the controllers of BareMetalHosts. */
export function startHosts(settings: HostPlaneSettings, parts: HostParts): RunningHosts {
  const { client, admission, logger, metrics, open } = parts;
  const provisioners = provisionersOf(settings, parts);
  open.add(() => provisioners.close());
  const network = createHostNetwork({ client, informers: parts.network });
  open.add(() => network.close());
  const controllers = startHostControllers({
    ...{ client, provisioners, network, logger, metrics, namespace: parts.namespace },
    openExternalWork: externalWorkOf(settings, parts),
    clock: systemClock,
    random: Math.random,
    election: parts.isShared ? electionOf('hosts', parts) : undefined,
  });
  open.add(() => controllers.stop());
  const onFull = () => admission.attach(controllers.view);
  const { check, ready } = followCaches('host', controllers, { logger, open, onFull });
  const { sources = [] } = provisioners;
  const noSource = whyNoSource(chooseProvisioner(settings));
  const discovery = startDiscovery({
    ...{ client, logger, metrics, open, sources, noSource, namespace: parts.namespace },
    isShared: parts.isShared,
  });
  return { ready, check: both(check, discovery), hosts: controllers.informers.hosts };
}

function both(one: Check, other: Check): Check {
  return { of: one.of, look: async () => (await one.look()) ?? (await other.look()) };
}

/** An Ironic owns all hosts, also simulated ones. */
function provisionersOf(settings: HostPlaneSettings, parts: HostParts): Provisioners {
  const { native, logger, open, trustOf } = parts;
  if (native !== undefined) return native;
  const { ironicUrl } = settings;
  if (ironicUrl !== undefined) {
    const gates = createGates({ clock: systemClock, logger });
    open.add(() => gates.close());
    return createIronicProvisioners({ ...ironicOf({ ...settings, ironicUrl }), bmcs: { gates, trustOf } });
  }
  return createAbsentProvisioners({ message: noProvisioner });
}

function externalWorkOf(
  settings: HostPlaneSettings,
  { engine, logger, hasRack }: HostParts,
): (() => OpenExternalWork) | undefined {
  if (engine === undefined) return undefined;
  const open = (): OpenExternalWork => openEngineExternalWork({ engine, clock: systemClock, logger });
  return hasRack && settings.ironicUrl === undefined ? () => holdForRack(open()) : open;
}

/** Refuses settings of an Ironic that nobody has named: they would be ignored. */
export function refuseLoneIronicSettings(settings: HostPlaneSettings): void {
  const lone = ironicOnly.find((name) => settings[name] !== undefined);
  if (lone !== undefined) throw usageError(`${hostSettings[lone].flag} needs --ironic-url: which Ironic is meant`);
}

const ironicOnly = [
  'ironicAuthFile',
  'ironicCa',
  'ironicKernel',
  'ironicRamdisk',
  'ironicIso',
  'ironicBootImages',
] as const;

/** The Ironic of the settings. */
export function ironicOf(settings: HostPlaneSettings & { readonly ironicUrl: string }): IronicOptions {
  const { ironicUrl, ironicAuthFile, ironicCa, ironicKernel, ironicRamdisk, ironicIso, provisioningLimit } = settings;
  if ((ironicKernel === undefined) !== (ironicRamdisk === undefined)) {
    throw usageError('--ironic-kernel and --ironic-ramdisk go together: one of them is missing');
  }
  return {
    url: ironicUrl,
    provisioningLimit,
    deployImages: {
      ...(ironicKernel === undefined ? {} : { kernelUrl: ironicKernel }),
      ...(ironicRamdisk === undefined ? {} : { ramdiskUrl: ironicRamdisk }),
      ...(ironicIso === undefined ? {} : { isoUrl: ironicIso }),
    },
    ...(settings.ironicBootImages === undefined ? {} : { bootImageFormats: formatsIn(settings.ironicBootImages) }),
    ...(ironicAuthFile === undefined ? {} : { credentials: credentialsIn(ironicAuthFile) }),
    ...(ironicCa === undefined ? {} : { ca: textOf(ironicCa) }),
  };
}

function formatsIn(list: NonNullable<HostPlaneSettings['ironicBootImages']>) {
  return (['iso', 'initrd'] as const).filter((format) => list.split(',').includes(format));
}

function credentialsIn(file: string): { readonly username: string; readonly password: string } {
  const [, username, password] = /^([^:]+):(.+)$/.exec(readSecretFile(file, '--ironic-auth-file')) ?? [];
  if (username === undefined || password === undefined) {
    throw usageError(`--ironic-auth-file: ${file} does not hold user:password`);
  }
  return { username, password };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw usageError(`--ironic-ca: ${file} cannot be read: ${cause instanceof Error ? cause.message : ''}`);
  }
}

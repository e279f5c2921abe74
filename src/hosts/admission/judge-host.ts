import type { BareMetalHost } from '../../api/index.ts';
import type { Denial } from '../../kube/index.ts';
import { type HostBmcAddress, readBmcAddress } from '../../provisioners/index.ts';
import { annotationsOf, isInspectionAsked, isInspectionDisabled, readReboot } from '../annotations/read-annotations.ts';
import { readDetails, readStatus } from '../annotations/read-values.ts';
import { annotations } from '../resources.ts';

/** What is wrong with a host as it is written; what its schema refuses by itself is not looked at again. Pure. */
export function judgeHost(host: BareMetalHost): Denial[] {
  const reading = readBmcAddress(host.spec?.bmc?.address ?? '');
  const hasAddress = (host.spec?.bmc?.address ?? '') !== '';
  const address = hasAddress && reading.kind === 'known' ? reading.address : undefined;
  const denials =
    hasAddress && reading.kind !== 'known' ? [{ field: 'spec.bmc.address', message: reading.message }] : [];
  return [
    ...judgeName(host),
    ...denials,
    ...judgeDriver(host, address),
    ...judgeSecrets(host),
    ...judgeRootDevice(host),
    ...judgeImage(host),
    ...judgeAnnotations(host),
    ...judgeInspection(host, address),
  ];
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Names of hosts become names of nodes, which must not look like ids. */
function judgeName({ metadata }: BareMetalHost): Denial[] {
  const { name = '' } = metadata;
  const field = 'metadata.name';
  if (!/^[A-Za-z0-9._-]+$/.test(name))
    return [{ field, message: 'BareMetalHost resource name cannot contain characters other than [A-Za-z0-9._-]' }];
  return uuidPattern.test(name) ? [{ field, message: 'BareMetalHost resource name cannot be a UUID' }] : [];
}

/** What the driver of an address cannot do. */
function judgeDriver({ spec }: BareMetalHost, address: HostBmcAddress | undefined): Denial[] {
  if (address === undefined || spec === undefined) return [];
  const denials: Denial[] = [];
  const mac = spec.bootMACAddress ?? '';
  if (address.needsMac && mac === '') {
    denials.push({
      field: 'spec.bootMACAddress',
      message: `BMC driver ${address.scheme} requires a BootMACAddress value`,
    });
  }
  if ((spec.raid?.hardwareRAIDVolumes ?? []).length > 0 && !address.canHardwareRaid) {
    denials.push({ field: 'spec.raid', message: `BMC driver ${address.scheme} does not support configuring RAID` });
  }
  if (spec.bootMode === 'UEFISecureBoot' && !address.canSecureBoot) {
    denials.push({ field: 'spec.bootMode', message: `BMC driver ${address.scheme} does not support secure boot` });
  }
  return denials;
}

function judgeSecrets({ spec, metadata }: BareMetalHost): Denial[] {
  return (['userData', 'networkData', 'metaData'] as const).flatMap((name): Denial[] => {
    const namespace = spec?.[name]?.namespace ?? '';
    if (namespace === '' || namespace === metadata.namespace) return [];
    return [{ field: `spec.${name}.namespace`, message: `${name}: cross-namespace Secret references are not allowed` }];
  });
}

function judgeRootDevice({ spec }: BareMetalHost): Denial[] {
  const name = spec?.rootDeviceHints?.deviceName ?? '';
  if (name === '' || /^\/dev\/(disk\/by-path\/)?[^/]+$/.test(name)) return [];
  const message = `device name of root device hint must be a /dev/ path without further folders, or below /dev/disk/by-path/, not "${name}"`;
  return [{ field: 'spec.rootDeviceHints.deviceName', message }];
}

const imageSchemes = ['http:', 'https:', 'ftp:', 'gopher:', 'oci:'];

function judgeImage({ spec }: BareMetalHost): Denial[] {
  const text = spec?.image?.url ?? '';
  if (text === '') return [];
  const url = URL.parse(text);
  const field = 'spec.image.url';
  if (url === null) return [{ field, message: 'image URL is invalid: it is no URL' }];
  if (imageSchemes.includes(url.protocol)) return [];
  const known = imageSchemes.map((scheme) => scheme.slice(0, -1)).join(', ');
  return [
    { field, message: `image URL is invalid: unsupported scheme ${url.protocol.slice(0, -1)}, use one of ${known}` },
  ];
}

function judgeAnnotations(host: BareMetalHost): Denial[] {
  const all = annotationsOf(host);
  return [
    ...judgeReboots(all),
    ...judgeValue(all, annotations.status, readStatus),
    ...judgeValue(all, annotations.hardwareDetails, readDetails),
    ...judgeDetails(host),
    ...judgeInspect(all[annotations.inspect]),
  ];
}

function fieldOf(name: string): string {
  return `metadata.annotations[${name}]`;
}

function judgeReboots(all: Readonly<Record<string, string>>): Denial[] {
  return Object.entries(all).flatMap(([name, value]): Denial[] => {
    const isReboot = name === annotations.reboot || name.startsWith(`${annotations.reboot}/`);
    if (!isReboot || readReboot(value).isReadable) return [];
    const message = `invalid value of the annotation ${name}: it is {"mode": "hard" or "soft", "force": true or false} or empty`;
    return [{ field: fieldOf(name), message }];
  });
}

function judgeValue(
  all: Readonly<Record<string, string>>,
  name: string,
  read: (text: string) => { readonly problem: string } | object,
): Denial[] {
  const text = all[name];
  if (text === undefined) return [];
  const reading = read(text);
  return 'problem' in reading
    ? [{ field: fieldOf(name), message: `invalid value of the annotation ${name}: ${reading.problem}` }]
    : [];
}

function judgeDetails(host: BareMetalHost): Denial[] {
  const name = annotations.hardwareDetails;
  if (annotationsOf(host)[name] === undefined || isInspectionDisabled(host)) return [];
  return [{ field: fieldOf(name), message: `the annotation ${name} can only be used while inspection is disabled` }];
}

function judgeInspect(value: string | undefined): Denial[] {
  if (value === undefined || value === '' || value === 'disabled') return [];
  const message = `invalid value for the annotation ${annotations.inspect}: it is "disabled" or empty`;
  return [{ field: fieldOf(annotations.inspect), message }];
}

function judgeInspection(host: BareMetalHost, address: HostBmcAddress | undefined): Denial[] {
  const { inspectionMode = '', bootMACAddress = '' } = host.spec ?? {};
  const field = 'spec.inspectionMode';
  const denials: Denial[] = [];
  const annotated = annotationsOf(host)[annotations.inspect];
  const isContradicted =
    (annotated === 'disabled' && inspectionMode !== '' && inspectionMode !== 'disabled') ||
    (isInspectionAsked(host) && inspectionMode === 'disabled');
  if (isContradicted) {
    denials.push({
      field,
      message: `inspectionMode ${inspectionMode} and the annotation ${annotations.inspect} contradict each other`,
    });
  }
  if (inspectionMode === 'fast' && address !== undefined && address.fastInspectInterface === undefined) {
    denials.push({ field, message: `BMC driver ${address.scheme} does not support fast inspection` });
  }
  if (address !== undefined && isInspectionDisabled(host) && bootMACAddress === '') {
    denials.push({
      field: 'spec.bootMACAddress',
      message: 'a BootMACAddress is required while inspection is disabled',
    });
  }
  if (
    bootMACAddress !== '' &&
    !/^[0-9a-f]{2}(:[0-9a-f]{2}){5}((:[0-9a-f]{2}){2}|(:[0-9a-f]{2}){14})?$/i.test(bootMACAddress)
  ) {
    denials.push({ field: 'spec.bootMACAddress', message: `"${bootMACAddress.slice(0, 80)}" is no MAC address` });
  }
  return denials;
}

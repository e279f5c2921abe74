import type { BareMetalHost, HardwareDetails } from '../../api/index.ts';
import { annotationsOf } from './read-annotations.ts';
import { parseFields, readDetails, type ValueReading } from './read-values.ts';

/** The annotation in which discovery notes which machine a host was made of, and what that machine has told. */
export const discoveryNote = 'discovery.rackwright.io/host';

/** What discovery notes of a host that it makes. */
export interface DiscoveredHost {
  /** The provisioner's own id of the machine. */
  readonly provisionerId: string;
  readonly hardware?: HardwareDetails | undefined;
}

/** What is written into the annotation. */
export function writeDiscoveryNote({ provisionerId, hardware }: DiscoveredHost): string {
  return JSON.stringify({ provisionerID: provisionerId, hardware });
}

/** What the annotation of a host says; undefined where it has none. */
export function readDiscoveryNote(host: BareMetalHost): ValueReading<DiscoveredHost> | undefined {
  const text = annotationsOf(host)[discoveryNote];
  if (text === undefined) return undefined;
  const parsed = parseFields(text);
  if ('problem' in parsed) return parsed;
  const { provisionerID, hardware }: { provisionerID?: unknown; hardware?: unknown } = parsed.value;
  if (typeof provisionerID !== 'string' || provisionerID === '') return { problem: 'it has no provisionerID' };
  if (hardware === undefined) return { value: { provisionerId: provisionerID } };
  const details = readDetails(JSON.stringify(hardware));
  return 'problem' in details ? details : { value: { provisionerId: provisionerID, hardware: details.value } };
}

/** The id that the annotation tells, as cheaply as can be; undefined where there is none. */
export function notedIdOf(host: BareMetalHost): string | undefined {
  const text = annotationsOf(host)[discoveryNote];
  const parsed = text === undefined ? undefined : parseFields(text);
  if (parsed === undefined || 'problem' in parsed) return undefined;
  const { provisionerID }: { provisionerID?: unknown } = parsed.value;
  return typeof provisionerID === 'string' && provisionerID !== '' ? provisionerID : undefined;
}

/** What the annotation still tells of the hardware; undefined where it tells nothing, or nothing that can be read. */
export function discoveredHardware(host: BareMetalHost): HardwareDetails | undefined {
  const reading = readDiscoveryNote(host);
  return reading === undefined || 'problem' in reading ? undefined : reading.value.hardware;
}

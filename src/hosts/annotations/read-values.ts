import {
  type BareMetalHostStatus,
  bareMetalHost,
  type HardwareDetails,
  hardwareData,
  judge,
  metal3ApiVersion,
  validatorOf,
} from '../../api/index.ts';
import { blankStatus } from '../status/host-status.ts';

const hardwareValidator = validatorOf(hardwareData, 'v1alpha1');
const hostValidator = validatorOf(bareMetalHost, 'v1alpha1');

/** What an annotation carries, or what is wrong with it. */
export type ValueReading<T> = { readonly value: T } | { readonly problem: string };

/** The hardware that an annotation tells of; fields that hardware does not have are a problem. */
export function readDetails(text: string): ValueReading<HardwareDetails> {
  const parsed = parseFields(text);
  if ('problem' in parsed) return parsed;
  const metadata = { name: 'annotation' };
  const object = { apiVersion: metal3ApiVersion, kind: 'HardwareData', metadata, spec: { hardware: parsed.value } };
  const { unknownFields, errors } = judge(hardwareValidator, { object });
  const problem = [
    ...unknownFields.map((field) => `unknown field ${field}`),
    ...errors.map(({ field, detail }) => `${field}: ${detail}`),
  ];
  if (problem.length > 0) return { problem: problem.join('; ') };
  return { value: parsed.value as HardwareDetails };
}

/** The status that an annotation tells of; it may tell of parts only, but not of what a status does not have. */
export function readStatus(text: string): ValueReading<BareMetalHostStatus> {
  const parsed = parseFields(text);
  if ('problem' in parsed) return parsed;
  const given = parsed.value as Partial<BareMetalHostStatus>;
  const status = { ...blankStatus, ...given, provisioning: { ...blankStatus.provisioning, ...given.provisioning } };
  const object = { apiVersion: metal3ApiVersion, kind: 'BareMetalHost', metadata: { name: 'annotation' } };
  const { unknownFields, errors } = judge(hostValidator, {
    object: { ...object, status: status as never },
    old: object,
    isStatusWrite: true,
  });
  const problem = [
    ...unknownFields.map((field) => `unknown field ${field}`),
    ...errors.map(({ field, detail }) => `${field}: ${detail}`),
  ];
  return problem.length > 0 ? { problem: problem.join('; ') } : { value: status };
}

type Fields = { [name: string]: never };

/** The fields of an object in JSON. */
export function parseFields(text: string): ValueReading<Fields> {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return { value: parsed as Fields };
    return { problem: 'it is no object' };
  } catch {
    return { problem: 'it is no JSON' };
  }
}

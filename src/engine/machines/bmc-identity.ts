import type { BmcIdentity, SystemIdentity } from '../../bmc/index.ts';

/**
 * A UUID in the one spelling that it is compared in: SMBIOS has the first three fields little-endian, RFC 9562 big-endian,
 * and BMCs tell either.
 */
function canonicalUuid(uuid: string): string {
  const told = uuid.toLowerCase();
  const [low = '', mid = '', high = '', ...rest] = told.split('-');
  const swapped = [low, mid, high].map((field) => (field.match(/../g) ?? []).reverse().join(''));
  const other = [...swapped, ...rest].join('-');
  return told < other ? told : other;
}

/** True for one system. A UUID that two systems with serial numbers of their own share is a maker's mistake. */
export function isSameSystem(one: SystemIdentity, other: SystemIdentity): boolean {
  const [serial, otherSerial] = [one.serial?.toLowerCase(), other.serial?.toLowerCase()];
  const areSerialsKnown = serial !== undefined && otherSerial !== undefined;
  if (one.uuid === undefined || other.uuid === undefined) return areSerialsKnown && serial === otherSerial;
  if (canonicalUuid(one.uuid) !== canonicalUuid(other.uuid)) return false;
  return !areSerialsKnown || serial === otherSerial;
}

/**
 * True for one BMC. Its systems decide where both tell any: some makers give the service root the same UUID in all BMCs.
 */
export function isSameBmc(one: BmcIdentity, other: BmcIdentity): boolean {
  if (one.systems.some((system) => other.systems.some((each) => isSameSystem(system, each)))) return true;
  if (one.systems.length > 0 && other.systems.length > 0) return false;
  return one.serviceUuid !== undefined && one.serviceUuid === other.serviceUuid;
}

/** True where both are about one machine, not only about one BMC. */
export function isSameMachine(one: BmcIdentity, other: BmcIdentity): boolean {
  return one.system !== undefined && other.system !== undefined && isSameSystem(one.system, other.system);
}

/** By what other machines with the same identity are looked up. */
export function marksOf({ systems, serviceUuid }: BmcIdentity): readonly string[] {
  const marks = systems.flatMap(({ uuid, serial }) => [
    ...(uuid === undefined ? [] : [`system/${canonicalUuid(uuid)}`]),
    ...(serial === undefined ? [] : [`serial/${serial.toLowerCase()}`]),
  ]);
  return [...new Set([...marks, ...(serviceUuid === undefined ? [] : [`service/${serviceUuid}`])])];
}

/** What is known of a BMC after it was asked again: one that starts tells less than it did, and is still the same one. */
export function learnIdentity(known: BmcIdentity | undefined, told: BmcIdentity): BmcIdentity {
  if (known === undefined || told.systems.length > 0) return told;
  const isOther =
    known.serviceUuid !== undefined && told.serviceUuid !== undefined && known.serviceUuid !== told.serviceUuid;
  return isOther ? told : { ...told, ...known };
}

/** A machine as its BMC tells it, for people. */
export function describeIdentity({ system, systems, serviceUuid }: BmcIdentity): string {
  const { uuid, serial } = system ?? systems[0] ?? {};
  const parts = [
    ...(uuid === undefined ? [] : [`UUID ${uuid}`]),
    ...(serial === undefined ? [] : [`serial number ${serial}`]),
  ];
  return parts.length > 0 ? parts.join(', ') : `service UUID ${serviceUuid ?? 'unknown'}`;
}

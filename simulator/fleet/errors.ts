const fleetErrors = {
  NoServers: 'a fleet needs at least one server and at most {most}, not {given}: give another number of servers',
  BadRacks:
    'racks must be a whole number from 1 up to the number of servers ({servers}), not {given}: give another number of racks',
  NoPersonalities: 'a fleet needs at least one kind of BMC: name one, or leave the list out',
} as const;

/** Why a fleet cannot be planned. */
export type FleetErrorCode = keyof typeof fleetErrors;

/** A fleet that cannot be planned as asked for. */
export class FleetError extends Error {
  override readonly name = 'FleetError';
  readonly code: FleetErrorCode;

  constructor(code: FleetErrorCode, facts: Readonly<Record<string, string | number>> = {}) {
    super(fleetErrors[code].replaceAll(/\{(\w+)\}/g, (_, fact: string) => String(facts[fact] ?? '')));
    this.code = code;
  }
}

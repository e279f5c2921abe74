import { type Bmc, connectBmc, type Gates, isBmcError, type TlsTrust } from '../../bmc/index.ts';
import type { Egress } from '../../egress/index.ts';
import type { Clock, Random } from '../../kube/index.ts';
import { readBmcAddress } from '../bmc-address/index.ts';
import type { HostIdentity, Outcome } from '../provisioner.ts';
import { withoutBmc } from '../without-bmc.ts';
import type { BackgroundWork } from './background-work.ts';
import type { BusyBmcs } from './busy-bmcs.ts';
import type { HostRecord, HostRecords } from './host-record.ts';
import type { FirmwareDesk, ImageCatalogue, ImageLinks } from './ports.ts';

/** What is the same for all hosts. */
export interface RedfishParts {
  /** The gates of the process: one for each BMC, whoever talks to it. */
  readonly gates: Gates;
  readonly records: HostRecords;
  readonly desk: FirmwareDesk;
  readonly catalogue: ImageCatalogue;
  /** Undefined where only images of the catalogue are installed. */
  readonly links?: ImageLinks | undefined;
  /** What BMCs may be told to fetch. */
  readonly egress: Pick<Egress, 'check'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly trustOf: (origin: string) => TlsTrust;
  readonly pollMs: number;
  /** How long reading the power of a host may take before its BMC counts as silent. */
  readonly lookMs: number;
  /** How long an update that a BMC is at is waited for before that is a failure. */
  readonly updateWaitMs: number;
}

/** A BMC and the address of the system there that is meant, or why there is none. */
export type Reached = { readonly kind: 'bmc'; readonly bmc: Bmc; readonly address: string } | Outcome<never>;

/** All that an operation on one host needs. */
export interface Workplace {
  readonly parts: RedfishParts;
  readonly host: HostIdentity;
  readonly background: BackgroundWork;
  readonly busyBmcs: BusyBmcs;
  /** The BMC of the host. Nothing is sent. */
  reach(): Reached;
}

/** Connects hosts: the same credentials stay one object, since others would cost a log-in of their own. */
export function createReach(
  parts: Pick<RedfishParts, 'gates' | 'clock' | 'random' | 'trustOf'>,
): (host: HostIdentity) => Reached {
  const known = new Map<string, { readonly mark: string; readonly credentials: () => Promise<Login> }>();
  const credentialsOf = (key: string, login: Login) => {
    const mark = JSON.stringify([login.username, login.password]);
    const present = known.get(key);
    if (present?.mark === mark) return present.credentials;
    const credentials = async () => login;
    known.set(key, { mark, credentials });
    return credentials;
  };
  return (host) => {
    if (host.bmc === undefined) return withoutBmc('nothing can be done to a host');
    const { address, credentials: login, isCertificateUnchecked } = host.bmc;
    const reading = readBmcAddress(address);
    if (reading.kind !== 'known') return { kind: 'failed', message: reading.message };
    const { origin, systemPath, scheme, system } = reading.address;
    if (origin === '') return { kind: 'failed', message: `a host is reached by Redfish here, not by ${scheme}` };
    if (login === undefined) return { kind: 'failed', message: 'there are no credentials for its BMC' };
    const { gates, clock, random } = parts;
    const trusted = parts.trustOf(origin);
    // Who writes hosts may do without certificates; without TLS only an operator may.
    const { allowsHttp = false } = trusted;
    const trust = isCertificateUnchecked ? { kind: 'insecure' as const, allowsHttp } : trusted;
    const endpoint = { origin, credentials: credentialsOf(`${host.namespace}/${host.name}`, login), trust };
    const options = { gates, endpoint, clock, random, ...(systemPath === undefined ? {} : { systemPath }) };
    return { kind: 'bmc', bmc: connectBmc(options), address: system };
  };
}

interface Login {
  readonly username: string;
  readonly password: string;
}

/** The outcome of what is done and has nothing to tell. */
export const done: Outcome = { kind: 'done', value: undefined };

/** The outcome of what is under way. */
export type UnderWay = Extract<Outcome<never>, { readonly kind: 'continue' }>;

/** The same, to be asked for again later. */
export function goesOn({ parts }: Workplace, hasStarted = false, factor = 1): UnderWay {
  const afterMs = Math.round(factor * parts.pollMs * (1 + parts.random() / 4));
  return hasStarted ? { kind: 'continue', afterMs, hasStarted } : { kind: 'continue', afterMs };
}

/** How many times longer than usual a host in the hands of a worker is left alone. */
const longFactor = 6;

/**
 * The outcome of what takes minutes and whose end is told: who gives the machine back wakes its host, so that each look
 * in between only asks its BMC for nothing.
 */
export function goesOnForLong(place: Workplace, hasStarted = false): UnderWay {
  return goesOn(place, hasStarted, longFactor);
}

/** The outcome of telling a BMC to fetch what may not be fetched; undefined where it may. */
export async function refusedMedium({ parts }: Workplace, image: string): Promise<Outcome<never> | undefined> {
  const url = URL.parse(image);
  const why = url === null ? 'it is no URL' : await parts.egress.check(url);
  return why === undefined ? undefined : { kind: 'failed', message: `the image may not be fetched: ${why}` };
}

/** The outcome of what somebody else keeps us from. */
export function busy({ parts }: Workplace, message: string): Extract<Outcome<never>, { kind: 'busy' }> {
  return { kind: 'busy', afterMs: parts.pollMs, message };
}

/** Does something with the record of a host; one that is not there is not registered. */
export async function withRecord<T>(
  place: Workplace,
  work: (record: HostRecord) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const record = await place.parts.records.read(place.host);
  return record === undefined ? { kind: 'unregistered' } : work(record);
}

/** The same for what must not be done to a host that somebody works on past us. */
export function withFreeRecord<T>(
  place: Workplace,
  work: (record: HostRecord) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  return withRecord(place, async (record) =>
    record.maintenance === undefined ? work(record) : busy(place, `the host is in maintenance: ${record.maintenance}`),
  );
}

/** Changes the record of a host as it is by then; one that is gone stays so. */
export function changeRecord(
  { parts, host }: Workplace,
  edit: (now: HostRecord) => HostRecord | undefined,
): Promise<void> {
  return parts.records.change(host, (now) => (now === undefined ? undefined : edit(now)));
}

/** Says as an outcome what a BMC had against something. One that stays too busy for it has failed: people must hear of it. */
export async function outcomeOf<T>(
  { parts, host, busyBmcs }: Workplace,
  what: string,
  work: () => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const asked = `${host.namespace}/${host.name} ${what}`;
  const askedAt = parts.clock.monotonic();
  try {
    const outcome = await work();
    busyBmcs.forget(asked);
    return outcome;
  } catch (error) {
    if (!isBmcError(error)) throw error;
    const { message } = error;
    const isBusy = isBmcError(error, 'busy', 'sessionsExhausted');
    const mayWait = isBusy ? !busyBmcs.note(asked, askedAt) : isBmcError(error, 'cancelled');
    return mayWait ? { kind: 'busy', afterMs: parts.pollMs, message } : { kind: 'failed', message };
  }
}

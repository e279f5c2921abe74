import { type AnyKubeObject, isForbidden } from '../../kube/index.ts';
import { CliError, usageError } from '../errors.ts';
import { findSubject, type Subject } from '../fleet/find-subject.ts';
import { type FleetFacts, machineOfServer, machinesOfFleet, machinesOfHost } from '../fleet/fleet-machines.ts';
import { fleetResources, listIfServed, problemOf, readFleetFacts, readWork } from '../fleet/read-fleet.ts';
import type { RestClient } from '../install-service/rest-client.ts';
import type { ShownEvent } from '../objects/order-events.ts';
import type { Session, SessionFlags } from '../objects/session.ts';
import { readOutputForm } from '../output/output-form.ts';
import { renderShown, showList } from '../output/show.ts';
import type { Terminal } from '../terminal.ts';
import {
  aboutOf,
  entriesOfEvents,
  entriesOfHost,
  entriesOfWork,
  type HistoryEntry,
  historyColumns,
  orderEntries,
} from './history-entries.ts';

/** The flags of `rackwright history`. */
export interface HistoryFlags extends SessionFlags {
  readonly output?: string;
  readonly limit: string;
  readonly events: boolean;
}

interface Looking {
  readonly session: Session;
  readonly terminal: Terminal;
  readonly rest: RestClient | undefined;
  /** Why there are no REST services. */
  readonly problem: string | undefined;
}

/** Prints what was done to a machine, or to all of the fleet. */
export async function showHistory(word: string | undefined, flags: HistoryFlags, looking: Looking): Promise<void> {
  const { session, terminal, rest } = looking;
  const output = readOutputForm(flags.output);
  const most = readLimit(flags.limit);
  const facts = await readFacts(looking);
  const { namespace, isNamespaceGiven } = session;
  const subject = word === undefined ? undefined : findSubject(word, { ...facts, namespace, isNamespaceGiven });
  const hosts = subject?.hosts ?? hostsIn(facts, session);
  const machines = subject?.machines ?? machinesOf(facts, hosts, isNamespaceGiven);
  const entries = [
    ...(await workOf(machines, most, { facts, looking })),
    ...hosts.flatMap(entriesOfHost),
    ...(flags.events ? await eventsOf({ hosts, subject, machines, facts }, looking) : []),
  ];
  const story = orderEntries(entries, most);
  terminal.out(renderShown(showList(story, historyColumns), output));
  if (story.length === 0) terminal.err(`nothing was done${subject === undefined ? '' : ` to ${subject.name}`} yet\n`);
  if (rest === undefined) terminal.err(`Warning: work of the engine is not shown: ${looking.problem}\n`);
}

function readLimit(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= 10_000) return limit;
  throw usageError(`--limit ${text}: a whole number from 1 to 10000 is needed`);
}

/** An inventory that may not be read is no reason to tell nothing. */
async function readFacts({ session, terminal, rest }: Looking): Promise<FleetFacts> {
  const signal = terminal.interrupted;
  try {
    return await readFleetFacts(session, { rest, signal });
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    terminal.err(`Warning: the inventory is not looked at: ${problemOf(error)}\n`);
    return await readFleetFacts(session, { rest: undefined, signal });
  }
}

function hostsIn({ hosts }: FleetFacts, { namespace, isNamespaceGiven }: Session): FleetFacts['hosts'] {
  return isNamespaceGiven ? hosts.filter(({ metadata }) => metadata?.namespace === namespace) : hosts;
}

function machinesOf(facts: FleetFacts, hosts: FleetFacts['hosts'], isPart: boolean): ReadonlySet<string> {
  return isPart ? new Set(hosts.flatMap((host) => machinesOfHost(host, facts))) : machinesOfFleet(facts);
}

async function workOf(
  machines: ReadonlySet<string>,
  most: number,
  { facts, looking }: { readonly facts: FleetFacts; readonly looking: Looking },
): Promise<HistoryEntry[]> {
  const { rest, terminal } = looking;
  if (rest === undefined) return [];
  const names = new Map(facts.servers.map((server) => [machineOfServer(server), `Server ${server.metadata?.name}`]));
  for (const host of facts.hosts) for (const id of machinesOfHost(host, facts)) names.set(id, aboutOf(host));
  try {
    const records = await readWork(rest, { machines, most });
    return entriesOfWork(records, (id) => names.get(id) ?? id);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    terminal.err(`Warning: work of the engine is not shown: ${problemOf(error)}\n`);
    return [];
  }
}

interface Told {
  readonly hosts: FleetFacts['hosts'];
  readonly subject: Subject | undefined;
  readonly machines: ReadonlySet<string>;
  readonly facts: FleetFacts;
}

/** Events of the objects that are about the machines. */
async function eventsOf({ hosts, machines, facts }: Told, { session, terminal }: Looking): Promise<HistoryEntry[]> {
  const signal = terminal.interrupted;
  const servers = facts.servers.filter((server) => machines.has(machineOfServer(server)));
  const serverNames = new Set(servers.map(({ metadata }) => metadata?.name ?? ''));
  const bmcNames = new Set(servers.map(({ spec }) => spec?.bmcRef?.name ?? ''));
  type Firmware = AnyKubeObject & { readonly spec?: { readonly serverRef?: { readonly name?: string } } };
  const firmwares = await listIfServed<Firmware>(fleetResources.firmwares, session, signal);
  const about = new Set([
    ...hosts.map(({ metadata }) => `BareMetalHost ${metadata?.namespace}/${metadata?.name}`),
    ...[...serverNames].map((name) => `Server ${name}`),
    ...[...bmcNames].map((name) => `BMC ${name}`),
    ...firmwares
      .filter(({ spec, metadata }) => serverNames.has(spec?.serverRef?.name ?? metadata?.name ?? ''))
      .map(({ metadata }) => `ServerFirmware ${metadata?.name}`),
  ]);
  const ref = { group: '', version: 'v1', resource: 'events', namespaced: true, kind: 'Event' };
  try {
    const events = await listIfServed<ShownEvent>(ref, session, signal);
    return entriesOfEvents(events).filter((entry) => about.has(entry.about));
  } catch (error) {
    if (!isForbidden(error)) throw error;
    terminal.err(`Warning: events are not shown: ${problemOf(error)}\n`);
    return [];
  }
}

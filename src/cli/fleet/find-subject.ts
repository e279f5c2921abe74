import type { AnyKubeObject } from '../../kube/index.ts';
import { CliError, usageError } from '../errors.ts';
import {
  type FleetFacts,
  type HostObject,
  machineOfServer,
  machinesOfHost,
  type ServerObject,
} from './fleet-machines.ts';

/** A machine that a word means, with the objects that are about it. */
export interface Subject {
  /** What it is called in what is printed. */
  readonly name: string;
  readonly machines: ReadonlySet<string>;
  readonly hosts: readonly HostObject[];
  readonly servers: readonly ServerObject[];
}

/** Where is looked for a word. */
export interface SubjectQuery extends FleetFacts {
  readonly namespace: string;
  readonly isNamespaceGiven: boolean;
}

const types: Readonly<Record<string, 'host' | 'server'>> = {
  ...{ bmh: 'host', bmhost: 'host', host: 'host', baremetalhost: 'host', baremetalhosts: 'host' },
  ...{ server: 'server', servers: 'server', bmc: 'server', bmcs: 'server' },
  ...{ serverfirmware: 'server', serverfirmwares: 'server' },
};

/** The machine of `NAME`, `TYPE/NAME` or a system UUID. Throws when it is none, or several. */
export function findSubject(word: string, query: SubjectQuery): Subject {
  const [type, name] = word.includes('/')
    ? [word.split('/', 1)[0] ?? '', word.slice(word.indexOf('/') + 1)]
    : ['', word];
  const wanted = type === '' ? undefined : types[type.toLowerCase().replace(/\..*$/, '')];
  if (type !== '' && wanted === undefined) {
    throw usageError(`"${word}": machines are known by their BareMetalHost (bmh/NAME), Server, BMC or ServerFirmware`);
  }
  const hosts = wanted === 'server' ? [] : hostsNamed(name, query);
  const servers = wanted === 'host' ? [] : serversNamed(name, query);
  if (hosts.length === 0 && servers.length === 0) throw unknown(word, query);
  const subjects = [...hosts.map((host) => ofHost(host, query)), ...servers.map((server) => ofServer(server, query))];
  const [first, ...others] = subjects;
  if (first === undefined) throw unknown(word, query);
  return others.reduce((joined, other) => join(word, joined, other), first);
}

function hostsNamed(name: string, { hosts, namespace, isNamespaceGiven }: SubjectQuery): HostObject[] {
  const named = hosts.filter(({ metadata }) => metadata?.name === name);
  const here = named.filter(({ metadata }) => metadata?.namespace === namespace);
  return here.length > 0 || isNamespaceGiven ? here : named;
}

function serversNamed(name: string, { servers }: SubjectQuery): ServerObject[] {
  return servers.filter(
    (server) =>
      server.metadata?.name === name ||
      server.spec?.bmcRef?.name === name ||
      machineOfServer(server) === name.toLowerCase(),
  );
}

function ofHost(host: HostObject, query: SubjectQuery): Subject {
  const machines = new Set(machinesOfHost(host, query));
  const servers = query.servers.filter((server) => machines.has(machineOfServer(server)));
  return { name: keyOf(host), machines, hosts: [host], servers };
}

function ofServer(server: ServerObject, query: SubjectQuery): Subject {
  const id = machineOfServer(server);
  const hosts = query.hosts.filter((host) => machinesOfHost(host, query).includes(id));
  return { name: keyOf(server), machines: new Set([id]), hosts, servers: [server] };
}

/** A name of a host and of a BMC is mostly that of one machine. */
function join(word: string, one: Subject, other: Subject): Subject {
  if (![...other.machines].some((id) => one.machines.has(id))) {
    throw new CliError(
      'failed',
      `"${word}" means several machines: ${one.name} and ${other.name}; say which, as in bmh/${word} -n NAMESPACE or server/NAME`,
    );
  }
  const both = <T extends AnyKubeObject>(a: readonly T[], b: readonly T[]): T[] => [...new Set([...a, ...b])];
  return {
    name: one.name,
    machines: new Set([...one.machines, ...other.machines]),
    hosts: both(one.hosts, other.hosts),
    servers: both(one.servers, other.servers),
  };
}

function unknown(word: string, { isNamespaceGiven, namespace }: SubjectQuery): CliError {
  const where = isNamespaceGiven ? ` in the namespace ${namespace}` : '';
  return new CliError(
    'failed',
    `there is no BareMetalHost${where}, Server, BMC or system UUID "${word}"; "rackwright get bmh -A" and "rackwright get servers" list them`,
  );
}

function keyOf({ kind, metadata }: AnyKubeObject): string {
  const name = metadata?.namespace === undefined ? metadata?.name : `${metadata.namespace}/${metadata.name}`;
  return `${kind ?? 'object'} ${name ?? ''}`;
}

import type { Readable } from 'node:stream';
import type { DataCentre, RunningBmc } from '../data-centre.ts';
import { type FaultRule, faultKinds } from '../faults/fault.ts';
import { checkFaults } from '../faults/parse-faults.ts';
import type { PortName } from '../switches/fabric.ts';
import type { FirmwareCatalog } from './firmware-catalog.ts';
import { findImage, listFirmware } from './firmware-routes.ts';
import { parsePortSettings, showPort } from './port-settings.ts';

/** What a route is asked. */
export interface AdminRequest {
  readonly dataCentre: DataCentre;
  readonly catalog: FirmwareCatalog;
  readonly params: readonly string[];
  readonly query: URLSearchParams;
  readonly body: unknown;
  /** Where the asker has reached the admin API: `http://127.0.0.1:8080`. */
  readonly origin: string;
}

/** What goes back: JSON, text or a stream. */
export interface AdminAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly stream?: Readable;
}

/** A request that cannot be served, with the status and what to do. */
export class AdminRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** One thing the admin API can do. */
export interface AdminRoute {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** As it is shown: `/v1/bmcs/{server}/log`; each part in braces is a parameter, in this order. */
  readonly path: `/${string}`;
  readonly about: string;
  readonly isPublic?: boolean;
  handle(request: AdminRequest): AdminAnswer | Promise<AdminAnswer>;
}

/** Everything the admin API can do; `GET /` lists it. */
export const adminRoutes: readonly AdminRoute[] = [
  {
    method: 'GET',
    path: '/',
    about: 'what there is',
    isPublic: true,
    handle: () => ok({ routes: adminRoutes.map(({ method, path, about }) => `${method} ${path} ${about}`) }),
  },
  { method: 'GET', path: '/v1/bmcs', about: 'every BMC', handle: ({ dataCentre }) => ok(listBmcs(dataCentre)) },
  {
    method: 'GET',
    path: '/v1/bmcs/{server}',
    about: 'one BMC with its firmware',
    handle: ({ dataCentre, params }) => ok(showBmc(dataCentre, findBmc(dataCentre, params[0]))),
  },
  {
    method: 'GET',
    path: '/v1/bmcs/{server}/log',
    about: 'what happened to it, in simulated time',
    handle: ({ dataCentre, params }) => ({ status: 200, body: findBmc(dataCentre, params[0]).machine.log.text() }),
  },
  {
    method: 'GET',
    path: '/v1/bmcs/{server}/login',
    about: 'its address, user and password',
    handle: ({ dataCentre, params }) => {
      const { url, username, password } = findBmc(dataCentre, params[0]);
      return ok({ url, username, password });
    },
  },
  {
    method: 'GET',
    path: '/v1/bmcs/{server}/firmware',
    about: 'what firmware can be had for it, and where the images are',
    handle: ({ dataCentre, params }) => ok({ firmware: listFirmware(findBmc(dataCentre, params[0])) }),
  },
  {
    method: 'GET',
    path: '/v1/catalog',
    about: 'all firmware that can be had, as a plain firmware catalogue; without a token, as from a vendor',
    isPublic: true,
    handle: async ({ catalog, origin }) => ok(await catalog.describe(origin)),
  },
  {
    method: 'GET',
    path: '/v1/images/{server}/{softwareId}/{version}',
    about: 'a firmware image by server, software id and version; without a token, so that BMCs can pull it',
    isPublic: true,
    handle: ({ dataCentre, params }) => sendImage(findBmc(dataCentre, params[0]), params),
  },
  {
    method: 'GET',
    path: '/v1/images/{server}/{softwareId}/{version}/{file}',
    about: 'the same under a name, as catalogues have it',
    isPublic: true,
    handle: ({ dataCentre, params }) => sendImage(findBmc(dataCentre, params[0]), params),
  },
  {
    method: 'POST',
    path: '/v1/bmcs/{server}/reset',
    about: 'press the power button: {"type": "ForceOff"}',
    handle: ({ dataCentre, params, body }) => resetHost(findBmc(dataCentre, params[0]), body),
  },
  {
    method: 'GET',
    path: '/v1/faults',
    about: 'the faults in force',
    handle: ({ dataCentre }) => ok({ kinds: faultKinds, rules: dataCentre.faults }),
  },
  {
    method: 'PUT',
    path: '/v1/faults',
    about: 'replace all faults: a list of rules',
    handle: ({ dataCentre, body }) => setFaults(dataCentre, rulesOf(body)),
  },
  {
    method: 'POST',
    path: '/v1/faults',
    about: 'add faults: a list of rules',
    handle: ({ dataCentre, body }) => setFaults(dataCentre, [...dataCentre.faults, ...rulesOf(body)]),
  },
  {
    method: 'DELETE',
    path: '/v1/faults',
    about: 'no faults any more',
    handle: ({ dataCentre }) => setFaults(dataCentre, []),
  },
  {
    method: 'GET',
    path: '/v1/switches',
    about: 'every switch',
    handle: ({ dataCentre }) =>
      ok({
        switches: dataCentre.fabric.switches.map(({ name, chassisId, ports }) => ({
          name,
          chassisId,
          ports: ports.length,
        })),
      }),
  },
  {
    method: 'GET',
    path: '/v1/switches/{switch}',
    about: 'one switch with its ports and what LLDP hears on them',
    handle: ({ dataCentre, params }) => ok(showSwitch(dataCentre, params[0] ?? '')),
  },
  {
    method: 'PUT',
    path: '/v1/switches/{switch}/ports/{port}',
    about: 'set a port: {"untaggedVLAN": 10, "vlans": "20-30", "disabled": false, "acl": []}',
    handle: setPort,
  },
  {
    method: 'POST',
    path: '/v1/reach',
    about: 'can they talk: {"from": {"switch": "", "port": ""}, "to": {...}}',
    handle: ({ dataCentre, body }) => reach(dataCentre, body),
  },
  {
    method: 'PUT',
    path: '/v1/agent',
    about: 'whom agents report to: {"kind": "ironic", "url": ""} or {"kind": "rackwright", "url": "", "token": ""}',
    handle: ({ dataCentre, body }) => setAgent(dataCentre, body),
  },
  {
    method: 'GET',
    path: '/v1/time',
    about: 'simulated time',
    handle: ({ dataCentre: { clock, seed } }) =>
      ok({ seed, now: new Date(clock.now()).toISOString(), elapsedMs: Math.round(clock.elapsedMs()) }),
  },
];

function ok(body: unknown): AdminAnswer {
  return { status: 200, body };
}

function findBmc(dataCentre: DataCentre, name = ''): RunningBmc {
  const found = dataCentre.bmcs.find((each) => each.name === name);
  if (found === undefined) throw new AdminRefusal(404, `there is no BMC "${name}"; GET /v1/bmcs lists them`);
  return found;
}

function listBmcs(dataCentre: DataCentre): object {
  return { bmcs: dataCentre.bmcs.map((bmc) => summary(dataCentre, bmc)) };
}

function summary(dataCentre: DataCentre, { name, url, machine }: RunningBmc): object {
  return {
    name,
    url,
    personality: machine.personality.name,
    model: machine.hardware.model,
    serial: machine.hardware.serial,
    power: machine.power.state,
    isReachable: machine.manager.isReachable,
    runs: dataCentre.hosts.find((host) => host.machine === machine)?.running,
  };
}

function showBmc(dataCentre: DataCentre, bmc: RunningBmc): object {
  const { machine } = bmc;
  return {
    ...summary(dataCentre, bmc),
    bootProgress: machine.power.bootProgress,
    systemPath: bmc.systemPath,
    sessions: machine.sessions.all.length,
    isLocked: machine.accounts.isLocked,
    firmware: machine.firmware,
    tasks: machine.tasks.all,
    ports: machine.hardware.nics.flatMap((nic) =>
      nic.ports.map(({ mac }) => ({ mac, ...dataCentre.fabric.portOf(mac) })),
    ),
  };
}

function sendImage(bmc: RunningBmc, [, softwareId = '', version = '']: readonly string[]): AdminAnswer {
  const image = findImage(bmc, { softwareId, version });
  if (image === undefined) {
    throw new AdminRefusal(404, `there is no such image; GET /v1/bmcs/${bmc.name}/firmware lists what there is`);
  }
  const headers = { 'content-length': String(image.lengthBytes), etag: `"${image.sha256}"` };
  return { status: 200, headers, stream: image.stream() };
}

function resetHost(bmc: RunningBmc, body: unknown): AdminAnswer {
  const type = member(body, 'type');
  if (typeof type !== 'string') throw new AdminRefusal(400, 'type is missing: On, ForceOff, GracefulShutdown ...');
  const outcome = bmc.machine.power.reset(type);
  if (outcome === 'ok') return ok({ power: bmc.machine.power.state });
  throw new AdminRefusal(409, `${bmc.name} cannot do ${type} now: ${outcome}, power is ${bmc.machine.power.state}`);
}

function rulesOf(body: unknown): readonly FaultRule[] {
  const checked = checkFaults(body);
  if (checked.problems.length > 0) throw new AdminRefusal(400, checked.problems.join('; '));
  return checked.rules;
}

function setFaults(dataCentre: DataCentre, rules: readonly FaultRule[]): AdminAnswer {
  dataCentre.setFaults(rules);
  return ok({ rules });
}

function showSwitch(dataCentre: DataCentre, name: string): object {
  const found = dataCentre.fabric.find(name);
  if (found === undefined) throw new AdminRefusal(404, `there is no switch "${name}"; GET /v1/switches lists them`);
  const ports = found.ports.map((port) => showPort(dataCentre.fabric, { switchName: name, port: port.name }));
  return { name, chassisId: found.chassisId, revision: found.revision, ports };
}

function setPort({ dataCentre, params, body }: AdminRequest): AdminAnswer {
  const [switchName = '', port = ''] = params;
  const name: PortName = { switchName, port };
  const { settings, problems } = parsePortSettings(body);
  const outcome = problems.length > 0 ? problems : dataCentre.fabric.configure(name, settings);
  if (outcome !== 'ok') throw new AdminRefusal(400, `port ${port} of ${switchName}: ${outcome.join('; ')}`);
  return ok(showPort(dataCentre.fabric, name));
}

function reach(dataCentre: DataCentre, body: unknown): AdminAnswer {
  const from = portName(member(body, 'from'), 'from');
  const to = portName(member(body, 'to'), 'to');
  return ok({ ...dataCentre.fabric.reach(from, to), canTalk: dataCentre.fabric.canTalk(from, to) });
}

function portName(value: unknown, where: string): PortName {
  const switchName = member(value, 'switch');
  const port = member(value, 'port');
  if (typeof switchName === 'string' && typeof port === 'string') return { switchName, port };
  throw new AdminRefusal(400, `${where} must name a switch and a port`);
}

function setAgent(dataCentre: DataCentre, body: unknown): AdminAnswer {
  const kind = member(body, 'kind');
  const url = member(body, 'url');
  const token = member(body, 'token');
  if (typeof url !== 'string' || !URL.canParse(url)) throw new AdminRefusal(400, 'url is missing or not a URL');
  if (kind === 'ironic') dataCentre.setAgent({ kind, url });
  else if (kind === 'rackwright' && typeof token === 'string') dataCentre.setAgent({ kind, url, token });
  else throw new AdminRefusal(400, 'kind must be ironic, or rackwright with a token');
  return ok({ kind, url });
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

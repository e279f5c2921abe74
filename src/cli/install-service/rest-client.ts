import { Agent, request } from 'undici';
import { tryParseBmcAddress } from '../../bmc/index.ts';
import type { ConditionRecord } from '../../conditionorc/index.ts';
import { isSameVendor } from '../../versions/index.ts';
import { CliError } from '../errors.ts';
import type { RestAddress } from './rest-address.ts';

/** A server as Serverservice shows it, as far as commands go. */
export interface ShownServer {
  readonly uuid: string;
  readonly name: string;
  readonly facility_code: string;
  readonly vendor: string;
  readonly model: string;
}

/** A firmware set as Serverservice shows it, as far as commands go. */
export interface ShownSet {
  readonly uuid: string;
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly component_firmware: readonly {
    readonly uuid: string;
    readonly component: string;
    readonly version: string;
  }[];
}

/** One question to REST services. */
export interface RestCall {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly body?: object;
  /** Of which service it is asked, where they have different addresses; of conditionOrc unless given. */
  readonly of?: 'inventory';
}

/** What is asked of REST services. */
export interface RestClient {
  /** Answers the body; throws what the service said. */
  ask<T>(call: RestCall): Promise<T>;
  /** The body of what is no JSON, such as metrics. */
  readText(path: string): Promise<string>;
  close(): Promise<void>;
}

/** A service that refused, with what it said. */
export class RefusalError extends CliError {
  readonly status: number;

  constructor(message: string, status: number) {
    super('failed', message);
    this.status = status;
  }
}

/** The HTTP status of a refusal; undefined for any other error. */
export function statusOfRefusal(error: unknown): number | undefined {
  return error instanceof RefusalError ? error.status : undefined;
}

const timeoutMs = 30_000;

/** Makes a client of the REST services at an address. */
export function createRestClient({ url, inventoryUrl = url, token, caPem }: RestAddress): RestClient {
  const agent = new Agent({ connect: caPem === undefined ? {} : { ca: caPem } });
  const askText = async ({ method, path, body, of }: RestCall): Promise<string> => {
    const base = of === 'inventory' ? inventoryUrl : url;
    const shown = typeof token === 'string' ? token : await token();
    const answer = await request(`${base}${path}`, {
      method,
      dispatcher: agent,
      headersTimeout: timeoutMs,
      headers: { authorization: `Bearer ${shown}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((cause: unknown) => {
      const why = cause instanceof Error ? cause.message || String((cause as NodeJS.ErrnoException).code) : '';
      throw new CliError('unreachable', `the REST services at ${base} cannot be reached: ${why}`, { cause });
    });
    const text = await answer.body.text();
    if (answer.statusCode < 300) return text;
    throw new RefusalError(explain(text, answer.statusCode), answer.statusCode);
  };
  return {
    ask: async <T>(call: RestCall): Promise<T> => JSON.parse(await askText(call)) as T,
    readText: (path) => askText({ method: 'GET', path }),
    close: () => agent.close(),
  };
}

function explain(text: string, status: number): string {
  try {
    const { message, problems } = JSON.parse(text) as { message?: string; problems?: readonly string[] };
    if (message !== undefined) return problems === undefined ? message : `${message}: ${problems.join('; ')}`;
  } catch {
    // Not one of ours answers there; its status says what can be said.
  }
  return `the service answered ${status}`;
}

/** True for an error because the services could not be reached, which may pass. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof CliError && error.outcome === 'unreachable';
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

interface Records<T> {
  readonly records: readonly T[];
}

/** The server of a name, an id, or the address of its BMC in any spelling. */
export async function findServer(client: RestClient, named: string): Promise<ShownServer> {
  if (uuid.test(named)) {
    return (
      await client.ask<{ record: ShownServer }>({ method: 'GET', of: 'inventory', path: `/api/v1/servers/${named}` })
    ).record;
  }
  const search = async (by: string): Promise<readonly ShownServer[]> => {
    const path = `/api/v1/servers?${new URLSearchParams({ [by]: named, limit: '2' })}`;
    return (await client.ask<Records<ShownServer>>({ method: 'GET', of: 'inventory', path })).records;
  };
  const byName = await search('name');
  const isAddress = byName.length === 0 && tryParseBmcAddress(named) !== undefined;
  const [found, another] = isAddress ? await search('bmc-address') : byName;
  if (found === undefined)
    throw new CliError('failed', `there is no server "${named}" in the inventory, neither by name nor by BMC address`);
  if (another !== undefined) throw new CliError('failed', `several servers go by "${named}"; give the id of one`);
  return found;
}

/** The set of a name or an id; `latest` is the one with that label for the server's model. */
export async function findSet(client: RestClient, named: string, server: ShownServer): Promise<ShownSet> {
  const all = '/api/v1/server-component-firmware-sets';
  if (uuid.test(named)) {
    return (await client.ask<{ record: ShownSet }>({ method: 'GET', of: 'inventory', path: `${all}/${named}` })).record;
  }
  const byName = `${all}?name=${encodeURIComponent(named)}`;
  const { records } = await client.ask<Records<ShownSet>>({ method: 'GET', of: 'inventory', path: byName });
  if (records[0] !== undefined) return records[0];
  if (named !== 'latest') throw new CliError('failed', `there is no firmware set "${named}"`);
  return await findLatest(client, server);
}

/** The newest set for the model of a server; makers and models are written in more ways than one. */
async function findLatest(client: RestClient, server: ShownServer): Promise<ShownSet> {
  const { vendor, model, name, uuid: id } = server;
  const all = '/api/v1/server-component-firmware-sets';
  if (vendor === '' || model === '') {
    const text = `vendor and model of ${name === '' ? id : name} are not known yet, so "latest" means no set: have its inventory read first (POST /api/v1/servers/${id}/inventory)`;
    throw new CliError('failed', text);
  }
  const query = new URLSearchParams({ vendor: server.vendor, model: server.model, labels: 'latest=true' });
  const latest = await client.ask<Records<ShownSet>>({ method: 'GET', of: 'inventory', path: `${all}?${query}` });
  if (latest.records[0] !== undefined) return latest.records[0];
  const path = `${all}?labels=latest%3Dtrue&limit=1000`;
  const { records: others } = await client.ask<Records<ShownSet>>({ method: 'GET', of: 'inventory', path });
  const found = others.filter(({ labels = {} }) => isFor(labels, server));
  if (found[0] !== undefined && found.length === 1) return found[0];
  const names = found.map((set) => set.name).join(', ');
  const why = found.length === 0 ? 'no firmware set has' : `several firmware sets (${names}) have`;
  throw new CliError('failed', `${why} the label latest=true for ${vendor} ${model}; name one with --set`);
}

/** Labels say `dell` and `r640` where the BMC tells `Dell Inc.` and `PowerEdge R640`. */
function isFor({ vendor = '', model = '' }: Readonly<Record<string, string>>, server: ShownServer): boolean {
  const words = (text: string): string[] => text.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  const told = words(server.model);
  const asked = words(model).filter((word) => word !== '');
  return isSameVendor(vendor, server.vendor) && asked.length > 0 && asked.every((word) => told.includes(word));
}

/** A condition by its id. */
export async function readCondition(client: RestClient, id: string): Promise<ConditionRecord> {
  const path = `/api/v1/conditions/${encodeURIComponent(id)}`;
  return (await client.ask<{ record: ConditionRecord }>({ method: 'GET', path })).record;
}

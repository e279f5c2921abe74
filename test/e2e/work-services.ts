import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { request } from 'undici';
import { type CliProcess, runCli, startCli } from './cli-fixture.ts';

/** A service of the install service that says of itself that it is ready. */
export interface StartedService extends CliProcess {
  readonly url: string;
  /** Asks it, with the token unless another one is given. */
  ask(path: string, how?: Asking): Promise<{ readonly status: number; readonly body: Record<string, unknown> }>;
}

/** How a service is asked. */
export interface Asking {
  readonly method?: 'GET' | 'POST' | 'PUT';
  readonly body?: object;
  readonly token?: string;
}

/** Who issues tokens, and a token that may do everything. */
export interface Issuer {
  /** What services are told. */
  readonly words: readonly string[];
  readonly tokenFile: string;
  readonly token: string;
  /** Makes a token with other scopes and says in which file it is. */
  issue(subject: string, scopes: readonly string[]): Promise<string>;
}

const everything = ['read', 'write', 'update:worker', 'read:server:credentials', 'write:server:credentials'];

/** Makes a key that services share, and tokens with it. */
export async function makeIssuer(folder: string): Promise<Issuer> {
  const keyFile = join(folder, 'jwt.key');
  writeFileSync(keyFile, randomBytes(32).toString('base64'), { mode: 0o600 });
  const words = ['--jwt-issuer', 'https://issuer.example', '--jwt-key-file', keyFile];
  const issue = async (subject: string, scopes: readonly string[]) => {
    const asked = scopes.flatMap((scope) => ['--scope', scope]);
    const { code, out, err } = await runCli(['issue-token', ...words, '--subject', subject, ...asked]);
    if (code !== 0) throw new Error(err);
    const file = join(folder, `${subject}.token`);
    writeFileSync(file, out, { mode: 0o600 });
    return file;
  };
  const tokenFile = await issue('admin', everything);
  return { words, tokenFile, token: readFileSync(tokenFile, 'utf8').trim(), issue };
}

/** Starts a service on any free port and waits until it says that it is ready. */
export async function startService(
  words: readonly string[],
  { token, env = {} }: { readonly token: string; readonly env?: NodeJS.ProcessEnv },
): Promise<StartedService> {
  const started = startCli([...words, '--rest-port', '0'], env);
  await started.until('"msg":"ready"');
  const ready = started.printed.out.split('\n').find((line) => line.includes('"msg":"ready"')) ?? '';
  const { url } = JSON.parse(ready) as { url: string };
  return { ...started, url, ask: (path, how = {}) => ask(url + path, { token, ...how }) };
}

/** Asks any address. */
export async function ask(url: string, { method = 'GET', body, token }: Asking) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await request(url, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const text = await answer.body.text();
  const isJson = String(answer.headers['content-type']).startsWith('application/json');
  return { status: answer.statusCode, body: (isJson ? JSON.parse(text) : { text }) as Record<string, unknown> };
}

interface Offer {
  readonly component: string;
  readonly vendor: string;
  readonly version: string;
  readonly softwareId: string;
  readonly name: string;
  readonly isNewest: boolean;
  readonly models: readonly string[];
  readonly image: string;
  /** The slots that it fits, with the versions installed now. */
  readonly slots: readonly { readonly slot: string; readonly version: string }[];
}

/** What a simulator's admin API says of a server. */
export interface SimulatedServer {
  readonly name: string;
  readonly login: { readonly url: string; readonly username: string; readonly password: string };
  readonly offers: readonly Offer[];
}

/** Asks the simulator of a data directory about a server. */
export async function findSimulated(dataDir: string, name: string): Promise<SimulatedServer> {
  const admin = JSON.parse(readFileSync(join(dataDir, 'simulator', 'admin.json'), 'utf8')) as {
    url: string;
    token: string;
  };
  const get = async (path: string) => (await ask(`${admin.url}/v1/bmcs/${name}${path}`, { token: admin.token })).body;
  const login = (await get('/login')) as SimulatedServer['login'];
  const { firmware } = (await get('/firmware')) as { firmware: readonly Offer[] };
  return { name, login, offers: firmware.map((one) => ({ ...one, image: new URL(one.image, admin.url).href })) };
}

/** Takes a server into an inventory, with the newest firmware for some components and a set of it, and says its id. */
export async function enrol(
  inventory: Pick<StartedService, 'ask'>,
  server: SimulatedServer,
  {
    facility,
    set,
    components,
  }: { readonly facility: string; readonly set: string; readonly components: readonly string[] },
): Promise<string> {
  const must = async (path: string, method: 'POST' | 'PUT', body: object) => {
    const { status, body: answer } = await inventory.ask(path, { method, body });
    if (status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return answer;
  };
  const { name, login } = server;
  const [first] = server.offers;
  const known = { vendor: first?.vendor ?? '', model: first?.models[0] ?? '' };
  const draft = { name, facility_code: facility, bmc_address: login.url, ...known };
  const uuid = String((await must('/api/v1/servers', 'POST', draft)).slug);
  const { username, password } = login;
  await must(`/api/v1/servers/${uuid}/credentials/bmc`, 'PUT', { username, password });
  const ids: string[] = [];
  for (const offer of server.offers.filter((one) => one.isNewest && components.includes(one.component))) {
    const answer = await must('/api/v1/server-component-firmwares', 'POST', await draftOf(offer));
    ids.push(String((answer.record as { uuid: string }).uuid));
  }
  await must('/api/v1/server-component-firmware-sets', 'POST', { name: set, component_firmware_uuids: ids });
  return uuid;
}

async function draftOf({ component, vendor, version, image, ...offer }: Offer): Promise<object> {
  const { body } = await request(image);
  const checksum = `sha256:${createHash('sha256')
    .update(await body.bytes())
    .digest('hex')}`;
  // Parts that a server has several kinds of go by their own names.
  const models = component === 'nic' || component === 'psu' ? [offer.softwareId, offer.name] : offer.models;
  const filename = `${offer.softwareId}-${version}.bin`;
  return { vendor: vendor.toLowerCase(), component, version, filename, model: models, repository_url: image, checksum };
}

/** Looks until something is so; between looks others get a turn on the processor. The runner's timeout ends what never is. */
export async function untilSo(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await pause(50);
}

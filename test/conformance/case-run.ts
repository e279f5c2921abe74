import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from 'node:tls';
import { parse } from 'yaml';
import type { Json, JsonObject } from '../../src/schema/index.ts';
import type { CertificateAuthority } from '../real/certificate-authority.ts';
import { ApiAnswer, ApiClient, type Caller, parseBody } from './api-client.ts';
import { cleanUp } from './clean-up.ts';
import { KubectlFolder, type KubectlOptions, type KubectlResult } from './kubectl-step.ts';
import type { ConformanceTarget } from './target.ts';
import type { Transcript, TranscriptEntry } from './transcript.ts';
import { openWatch, type WatchEvent, type WatchStream } from './watch-stream.ts';
import { startWebhookServer, type WebhookHandler, type WebhookServer } from './webhook-server.ts';

/** Extra wishes for one request of a case. */
export interface StepOptions {
  readonly headers?: Record<string, string>;
  readonly as?: Caller;
  /** Keeps only part of a large answer for the comparison. */
  readonly show?: (answer: ApiAnswer) => Json | undefined;
  /** Does not enter the transcript: set-up, or waiting. */
  readonly quiet?: boolean;
}

/** The patch media types by their short names. */
export const patchTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

const comparedHeaders = [
  'content-type',
  'warning',
  'retry-after',
  'www-authenticate',
  'cache-control',
  'allow',
  'location',
];

/** What a case gets to work with: every step goes to one server and into the transcript. */
export class CaseRun {
  /** A namespace of the case's own, there before the first step. */
  readonly ns: string;
  /** An API group of the case's own, for its CRDs. */
  readonly group: string;
  /** A short name of the case's own, for cluster-scoped objects. */
  readonly slug: string;
  readonly target: ConformanceTarget;
  readonly #client: ApiClient;
  readonly #authority: CertificateAuthority;
  readonly #entries: TranscriptEntry[] = [];
  readonly #aliases: Record<string, string> = {};
  readonly #kubectl: KubectlFolder;
  readonly #folder: string;
  readonly #closers: (() => Promise<void> | void)[] = [];
  readonly #startedAtMs = Date.now();
  readonly #caseId: string;

  constructor(options: { caseId: string; target: ConformanceTarget; authority: CertificateAuthority; folder: string }) {
    this.#caseId = options.caseId;
    this.slug = options.caseId.replaceAll('/', '-');
    this.ns = this.slug;
    this.group = `${this.slug}.example.com`;
    this.target = options.target;
    this.#client = new ApiClient(options.target);
    this.#authority = options.authority;
    this.#folder = join(options.folder, this.slug);
    this.#kubectl = new KubectlFolder(options.target, this.#folder);
    this.alias(this.#folder, 'folder');
  }

  get(path: string, options: StepOptions = {}): Promise<ApiAnswer> {
    return this.request('GET', path, undefined, options);
  }
  post(path: string, body: unknown, options: StepOptions = {}): Promise<ApiAnswer> {
    return this.request('POST', path, body, options);
  }
  put(path: string, body: unknown, options: StepOptions = {}): Promise<ApiAnswer> {
    return this.request('PUT', path, body, options);
  }
  delete(path: string, body?: unknown, options: StepOptions = {}): Promise<ApiAnswer> {
    return this.request('DELETE', path, body, options);
  }
  patch(path: string, type: keyof typeof patchTypes, body: unknown, options: StepOptions = {}): Promise<ApiAnswer> {
    const headers = { 'content-type': patchTypes[type], ...options.headers };
    return this.request('PATCH', path, body, { ...options, headers });
  }

  /** Sends any request and records its answer. */
  async request(method: string, path: string, body: unknown, options: StepOptions = {}): Promise<ApiAnswer> {
    const answer = await this.#client.send({
      method,
      path,
      ...(body === undefined ? {} : { body }),
      ...(options.headers === undefined ? {} : { headers: options.headers }),
      ...(options.as === undefined ? {} : { as: options.as }),
    });
    if (options.quiet !== true) this.#record(`${method} ${path}`, describeAnswer(answer, options.show));
    return answer;
  }

  /** Repeats a GET until the answer is as wished (or the target's patience ends), and records only the last one. */
  async until(path: string, isWished: (answer: ApiAnswer) => boolean, options: StepOptions = {}): Promise<ApiAnswer> {
    let answer = new ApiAnswer(0, {}, '');
    const inTime = await this.#poll(async () => {
      answer = await this.get(path, { ...options, quiet: true }).catch(cutOff);
      return isWished(answer);
    }, false);
    const step = `GET ${path} until it is as wished${inTime ? '' : ' (it never was)'}`;
    if (options.quiet !== true || !inTime) this.#record(step, describeAnswer(answer, options.show));
    return answer;
  }

  /** Repeats an unrecorded action until it says true; when it never does, that enters the transcript. */
  async settle(what: string, isSettled: () => Promise<boolean>): Promise<void> {
    if (!(await this.#poll(isSettled, false))) this.#record(`wait: ${what}`, 'never happened');
  }

  async #poll(isDone: () => Promise<boolean>, alreadyDone: boolean): Promise<boolean> {
    const deadline = Date.now() + this.target.patienceMs;
    let pauseMs = 10;
    while (!alreadyDone) {
      if (await isDone()) return true;
      if (Date.now() > deadline) return false;
      await delay(pauseMs);
      pauseMs = Math.min(pauseMs * 1.5, 250);
    }
    return true;
  }

  /** Puts a value of the case's own making into the transcript. */
  note(what: string, seen: Json | undefined): void {
    this.#record(what, seen ?? null);
  }

  /** Names a string that differs from run to run, so that answers holding it compare equal. */
  alias(text: string, name: string): void {
    if (text !== '') this.#aliases[text] = `<${name}>`;
  }

  /** Opens a watch and records how it was answered. */
  async watch(path: string, options: StepOptions = {}): Promise<RecordedWatch> {
    const stream = await openWatch(this.#client, {
      method: 'GET',
      path,
      ...(options.headers === undefined ? {} : { headers: options.headers }),
      ...(options.as === undefined ? {} : { as: options.as }),
    });
    this.#closers.push(() => stream.close());
    this.#record(`WATCH ${path}`, { code: stream.code, contentType: stream.headers['content-type'] ?? null });
    return new RecordedWatch(stream, path, (step, seen) => this.#record(step, seen));
  }

  /** Runs kubectl in the case's namespace and records what it prints. */
  async kubectl(commandLine: string, options: KubectlOptions = {}): Promise<KubectlResult> {
    const result = await this.#kubectl.run([...splitWords(commandLine), '--namespace', this.ns], options);
    const stdout = printed(result.stdout).filter(options.show ?? (() => true));
    const seen = { code: result.code, stdout, stderr: printed(result.stderr) };
    this.#record(`kubectl ${commandLine}`, seen);
    return result;
  }

  /** Runs kubectl with --watch, does something meanwhile, and records the lines. */
  async kubectlFollow(
    commandLine: string,
    wanted: { firstLines: number; lines: number },
    during: () => Promise<void>,
  ): Promise<void> {
    const lines = await this.#kubectl.follow([...splitWords(commandLine), '--namespace', this.ns], wanted, during);
    this.#record(`kubectl ${commandLine}`, printed(lines.join('\n')));
  }

  /** Runs kubectl proxy, sends it GET requests, and records the answers. */
  async kubectlProxy(flags: string, paths: readonly string[], show: StepOptions['show'] = wholeBody): Promise<void> {
    await this.#kubectl.proxy(splitWords(flags), async (url) => {
      this.alias(url.replace('http://', ''), 'proxy');
      for (const path of paths) {
        const answer = await fetch(`${url}${path}`);
        const seen = new ApiAnswer(answer.status, Object.fromEntries(answer.headers), await answer.text());
        this.#record(`GET ${path} through kubectl proxy ${flags}`, describeAnswer(seen, show));
      }
    });
  }

  /** Writes a file into the folder in which kubectl runs. */
  file(name: string, content: string | object | readonly object[]): string {
    this.#kubectl.file(name, content);
    return join(this.#folder, name);
  }

  /** Writes bytes to the server as they are, ends or breaks the connection, and records the answer. */
  async raw(
    what: string,
    bytes: string,
    options: { hangUp?: boolean; isAnswerByChance?: boolean } = {},
  ): Promise<void> {
    const text = await sendRaw(this.target, bytes, options.hangUp === true);
    const [head = '', ...rest] = text.split('\r\n\r\n');
    const statusLine = head.split('\r\n')[0] ?? '';
    const seen = { statusLine, body: parseBody(rest.join('\r\n\r\n')) };
    this.#record(`RAW ${what}`, options.isAnswerByChance === true ? { isSuccess: / 2\d\d /.test(statusLine) } : seen);
  }

  /** Starts an HTTPS webhook for this case. */
  async webhook(handle: WebhookHandler): Promise<WebhookServer> {
    const hook = await startWebhookServer(this.#authority, handle);
    this.alias(hook.url, 'webhook');
    this.alias(`127.0.0.1:${hook.port}`, 'webhook-host');
    this.alias(hook.caBundle, 'webhook-ca');
    this.#closers.push(() => hook.close());
    return hook;
  }

  /** Creates a CRD without recording it and waits until its resources are served. */
  async crd(manifest: JsonObject): Promise<void> {
    const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const made = await this.post(crds, manifest, { quiet: true });
    if (made.code !== 201) this.#record(`POST ${crds}`, describeAnswer(made));
    const path = `${crds}/${made.str('metadata.name')}`;
    await this.settle('the CRD is established', async () => {
      const conditions = (await this.get(path, { quiet: true })).at('status.conditions');
      return JSON.stringify(conditions ?? []).includes('"NamesAccepted"') && isEstablished(conditions);
    });
    for (const version of (made.at('spec.versions') ?? []) as JsonObject[]) {
      if (version.served !== true) continue;
      const list = `/apis/${made.str('spec.group')}/${String(version.name)}/${made.str('spec.names.plural')}`;
      await this.settle(`${list} is served`, async () => (await this.get(list, { quiet: true })).code < 400);
    }
  }

  /** Ends watches, webhooks and connections, takes away what others would meet, and hands over what was seen. */
  async finish(): Promise<Transcript> {
    await cleanUp(this.#client, this);
    for (const close of this.#closers) await close();
    this.#client.close();
    rmSync(this.#folder, { recursive: true, force: true });
    const { url, caPem } = this.target;
    const context = { url, caPem, startedAtMs: this.#startedAtMs, aliases: this.#aliases };
    return { caseId: this.#caseId, context, entries: this.#entries };
  }

  #record(step: string, seen: Json): void {
    this.#entries.push({ step: `${this.#entries.length + 1}. ${step}`, seen: structuredClone(seen) });
  }
}

/** An open watch that records what is taken from it. */
export class RecordedWatch {
  readonly #stream: WatchStream;
  readonly #path: string;
  readonly #record: (step: string, seen: Json) => void;
  constructor(stream: WatchStream, path: string, record: (step: string, seen: Json) => void) {
    this.#stream = stream;
    this.#path = path;
    this.#record = record;
  }
  /** Takes so many events. */
  take(count: number): Promise<Json[]> {
    return this.takeUntil(`${count} events`, (_, taken) => taken >= count);
  }
  /** Takes events up to the one that is wished for. */
  async takeUntil(what: string, isLast: (event: WatchEvent, taken: number) => boolean): Promise<Json[]> {
    const { events, end } = await this.#stream.takeUntil(isLast);
    this.#record(`events of ${this.#path}: ${what}`, { events, end });
    return events;
  }
  /** Takes everything until the server ends the watch. */
  takeAll(): Promise<Json[]> {
    return this.takeUntil('all until it ends', () => false);
  }
  close(): void {
    this.#stream.close();
  }
}

function isEstablished(conditions: Json | undefined): boolean {
  if (!Array.isArray(conditions)) return false;
  return conditions.some((each) => {
    const condition = each as JsonObject;
    return condition.type === 'Established' && condition.status === 'True';
  });
}

function describeAnswer(answer: ApiAnswer, show: StepOptions['show'] = wholeBody): Json {
  const headers: JsonObject = {};
  for (const name of comparedHeaders) {
    const value = answer.headers[name];
    if (value !== undefined) headers[name] = value;
  }
  return { code: answer.code, headers, body: show(answer) ?? null };
}

/** YAML is compared by what it means, not by how it is laid out. */
function wholeBody(answer: ApiAnswer): Json {
  return answer.headers['content-type'] === 'application/yaml' ? (parse(answer.text) as Json) : answer.body;
}

/** Lines as printed, without ages and without column widths, which follow the ages. */
function printed(text: string): string[] {
  // What kubectl's library logs of short watches depends on how long they happened to last.
  const lines = text
    .replace(/\n$/, '')
    .split('\n')
    .filter((line) => !/^[IWE]\d{4} .*reflector\.go/.test(line));
  return lines.map((line) =>
    line
      .replace(/(?<![\w-])\d+(\.\d+)?(ms|s|m|h|d|y)(\d+(ms|s|m|h|d))?(?![\w-])/g, '<age>')
      .replace(/^( *Resource Version: +)\d+$/, '$1<version>')
      .replace(/^[IWE]\d{4} [\d:.]+ +\d+ /, '<logged> ')
      .replace(/[^\s"]*kubectl-edit-\d+\.(yaml|json)/g, '<edited file>')
      .replace(/\S+(LIVE|MERGED)-\d+/g, '<folder of $1>')
      .replace(/\t\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ \S+$/, '  <time>')
      .replace(/(\S) {2,}/g, '$1  ')
      .trimEnd(),
  );
}

function splitWords(commandLine: string): string[] {
  return (commandLine.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^'(.*)'$/, '$1'));
}

function sendRaw(target: ConformanceTarget, bytes: string, hangUp: boolean): Promise<string> {
  return new Promise((done) => {
    let text = '';
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(target.url).port), ca: target.caPem }, () => {
      socket.write(bytes);
      if (hangUp) socket.end();
    });
    socket.setEncoding('utf8');
    socket.setTimeout(60_000, () => socket.destroy());
    socket.on('data', (chunk: string) => {
      text += chunk;
      // Some answers leave the connection open.
      socket.setTimeout(10_000);
    });
    socket.on('error', () => {});
    socket.on('close', () => done(text));
  });
}

/** The real server may cut a connection while it swaps the handler of a changed kind: whoever waits asks again. */
function cutOff(error: unknown): ApiAnswer {
  const isCut =
    error instanceof Error &&
    /socket hang up|ECONNRESET|EPIPE/.test(`${error.message} ${String((error as NodeJS.ErrnoException).code)}`);
  if (!isCut) throw error;
  return new ApiAnswer(0, {}, '');
}

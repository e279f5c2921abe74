import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import {
  type ConnectionSpec,
  createClient,
  createResourceMapper,
  type KubeClient,
  type ResourceMapper,
} from '../../kube/index.ts';
import { parseYamlStrict } from '../../schema/index.ts';
import { parseDurationMs } from '../duration.ts';
import { CliError } from '../errors.ts';
import { readSettings } from '../settings.ts';
import type { Terminal } from '../terminal.ts';

/** The flags of every command that talks to an API server. */
export interface SessionFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly dataDir?: string;
  readonly namespace?: string;
  readonly as?: string;
  readonly asGroup?: string[];
  readonly requestTimeout?: string;
}

/** A connection to an API server, and what the command line said about it. */
export interface Session {
  readonly client: KubeClient;
  readonly mapper: ResourceMapper;
  /** The namespace of objects that name none. */
  readonly namespace: string;
  /** True when the command line named the namespace. */
  readonly isNamespaceGiven: boolean;
}

/** Collects a flag that may be given several times. */
export function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}

/** Gives a command the flags that say which server to talk to, and as whom. */
export function addSessionFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--kubeconfig <file>',
        'which server to talk to (or KUBECONFIG; without either the one of the data directory)',
      ),
    )
    .addOption(new Option('--context <name>', 'the context of the kubeconfig to use'))
    .addOption(
      new Option(
        '--data-dir <dir>',
        'the data directory whose server is meant (default .rackwright, or RACKWRIGHT_DATA_DIR)',
      ),
    )
    .addOption(new Option('-n, --namespace <name>', 'the namespace of objects that name none'))
    .addOption(new Option('--as <user>', 'act as this user'))
    .addOption(new Option('--as-group <group>', 'act as a member of this group; may be repeated').argParser(collect))
    .addOption(new Option('--request-timeout <duration>', 'how long one request may take (default 30s)'));
}

/** Connects, runs, and disconnects whatever happens. */
export async function withSession<T>(
  flags: SessionFlags,
  terminal: Terminal,
  act: (session: Session) => Promise<T>,
): Promise<T> {
  const client = await createClient(connectionOf(flags, terminal), {
    fieldManager: 'rackwright',
    userAgent: 'rackwright-cli',
    onWarning: (text) => terminal.err(`Warning: ${text}\n`),
    ...(flags.as === undefined ? {} : { impersonate: { user: flags.as, groups: flags.asGroup ?? [] } }),
    ...(flags.requestTimeout === undefined
      ? {}
      : { timeoutMs: parseDurationMs(flags.requestTimeout, '--request-timeout') }),
  });
  try {
    return await act({
      client,
      mapper: createResourceMapper(client),
      namespace: flags.namespace ?? client.namespace ?? 'default',
      isNamespaceGiven: flags.namespace !== undefined,
    });
  } finally {
    await client.close();
  }
}

function connectionOf(flags: SessionFlags, terminal: Terminal): ConnectionSpec {
  const { context } = flags;
  if (flags.kubeconfig !== undefined) return { kubeconfig: resolve(terminal.cwd, flags.kubeconfig), context };
  // Several files joined by colons are merged as kubectl does it, which the library knows; so is the file in the home.
  const isAsKubectl = (terminal.env.KUBECONFIG ?? '') !== '' || terminal.isKubectlPlugin === true;
  if (flags.dataDir === undefined && isAsKubectl) return { kubeconfig: undefined, context };
  const { dataDir } = readSettings(['dataDir'], { dataDir: flags.dataDir }, terminal);
  const kubeconfig = join(dataDir, 'kubeconfig');
  if (existsSync(kubeconfig)) return readOwnKubeconfig(kubeconfig) ?? { kubeconfig, context };
  throw new CliError(
    'unreachable',
    `there is no ${kubeconfig}; start a server with "rackwright up", or name one with --kubeconfig, --data-dir or KUBECONFIG`,
  );
}

interface OwnKubeconfig {
  readonly clusters?: readonly { cluster?: { server?: string; 'certificate-authority-data'?: string } }[];
  readonly users?: readonly { user?: { token?: string } }[];
}

/** The file our own server wrote needs nothing of the library that reads all others, which takes long to load. */
function readOwnKubeconfig(file: string): ConnectionSpec | undefined {
  const parsed = parseYamlStrict(readFileSync(file, 'utf8'));
  if ('error' in parsed) throw new CliError('unreachable', `${file} cannot be read: ${parsed.error}`);
  const { clusters = [], users = [] } = (parsed.value ?? {}) as unknown as OwnKubeconfig;
  const { server, 'certificate-authority-data': ca } = clusters[0]?.cluster ?? {};
  const token = users[0]?.user?.token;
  if (clusters.length !== 1 || users.length !== 1 || server === undefined || ca === undefined || token === undefined) {
    return undefined;
  }
  return { server, caPem: Buffer.from(ca, 'base64').toString(), token, namespace: 'default' };
}

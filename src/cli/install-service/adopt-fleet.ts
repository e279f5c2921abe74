import { createEngine } from '../../engine/index.ts';
import { createClient, type KubeClient, systemClock } from '../../kube/index.ts';
import { usageError } from '../errors.ts';
import { startEmbeddedServer } from '../plane/embedded-server.ts';
import type { Settings } from '../settings.ts';
import type { Terminal } from '../terminal.ts';
import { adoptStore } from './claim-store.ts';
import { Closing } from './closing.ts';
import { openStore } from './open-store.ts';
import { connectionOf } from './stand-alone/access.ts';

/** What the fleet and the store are found by. */
export type AdoptSettings = Settings<'dataDir' | 'host' | 'port' | 'kubeconfig' | 'databaseUrl' | 'databaseUrlFile'>;

/** Gives the fleet of a Kubernetes plane to the store of these settings. What goes on in the store before is not known to this one. */
export async function adoptFleet(settings: AdoptSettings, terminal: Terminal): Promise<void> {
  const open = new Closing();
  try {
    const tell = (message: string): void => terminal.err(`rackwright: ${message}\n`);
    const store = await openStore(settings, { fault: ({ message }) => tell(message), room: tell });
    open.add(() => store.close());
    const engine = await createEngine({ database: store.database, kinds: [], clock: systemClock });
    open.add(() => engine.close());
    const client = await connect(settings, { open, terminal });
    const before = await adoptStore(client, engine.storeId);
    terminal.out(
      before === engine.storeId
        ? `The fleet of ${client.server} belongs to this store already (${before}).\n`
        : `The fleet of ${client.server} belongs to store ${engine.storeId} now; before, to ${before ?? 'none'}.\n`,
    );
  } finally {
    await open.close();
  }
}

async function connect(
  settings: AdoptSettings,
  { open, terminal }: { readonly open: Closing; readonly terminal: Terminal },
): Promise<KubeClient> {
  const { kubeconfig } = settings;
  const connection =
    kubeconfig === undefined ? await startHere(settings, { open, terminal }) : connectionOf(kubeconfig);
  const client = await createClient(connection);
  open.add(() => client.close());
  return client;
}

/** An embedded plane only runs with the work that was refused, so it is started alone for this. */
async function startHere(
  settings: AdoptSettings,
  { open, terminal }: { readonly open: Closing; readonly terminal: Terminal },
) {
  const server = await startEmbeddedServer(settings, terminal);
  open.add(() => server.close());
  return { server: server.url, caPem: server.caPem, token: server.adminToken };
}

/** Refuses to adopt a fleet that nobody has vouched for. */
export function requireConsent(isConfirmed: boolean): void {
  if (isConfirmed) return;
  const text =
    'adopting a fleet is safe only when its earlier store is lost for good, no process works with that any more, and no server is in the middle of an update. If that is so, say it with --yes';
  throw usageError(text);
}

import { createFirmwareAdmission, createFleet, createFleetInformers } from '../../firmware/index.ts';
import { createHostAdmission, followHosts } from '../../hosts/index.ts';
import {
  createClient,
  createMayDo,
  definitionsRef,
  isNotFound,
  type KubeClient,
  type KubeObject,
  systemClock,
} from '../../kube/index.ts';
import { convertedDefinitions, webhookName } from '../../manifests/index.ts';
import { createNetworkAdmission, followNetwork } from '../../network/index.ts';
import { createKubeAuthorizer } from '../../rest/index.ts';
import { usageError } from '../errors.ts';
import type { Check } from '../install-service/readiness.ts';
import { connectionOf } from '../install-service/stand-alone/access.ts';
import { runService, type ServiceContext } from '../install-service/stand-alone/run-service.ts';
import { serveService } from '../install-service/stand-alone/serve-service.ts';
import type { webhooksSettings } from '../install-service/stand-alone/setting-names.ts';
import { followCaches } from '../plane/controller-set.ts';
import { serveWebhooks } from '../plane/webhooks.ts';
import type { Settings } from '../settings.ts';
import type { Terminal } from '../terminal.ts';

/** What `rackwright webhooks` is told. */
export type WebhooksSettings = Settings<(typeof webhooksSettings)[number]>;

/** Answers the API server of a cluster until it is told to stop. */
export function runWebhooks(settings: WebhooksSettings, terminal: Terminal): Promise<void> {
  return runService({ name: 'webhooks', settings, start: (context) => start(settings, context) }, terminal);
}

async function start(settings: WebhooksSettings, context: ServiceContext) {
  const { logger, open } = context;
  const { kubeconfig, webhookUrl, webhookService } = settings;
  if (kubeconfig === undefined) throw usageError('--kubeconfig is missing: whose objects are to be judged');
  if (webhookUrl === undefined && webhookService === undefined) {
    throw usageError('--webhook-service or --webhook-url is missing: how does the API server reach this process');
  }
  const client = await createClient(connectionOf(kubeconfig));
  open.add(() => client.close());
  const { rules, checks } = followAll(client, context);
  const webhooks = await serveWebhooks(
    client,
    {
      name: webhookName,
      configurations: [{ name: webhookName, rules }],
      convertedDefinitions: await ownDefinitions(client),
    },
    settings,
  );
  open.add(() => webhooks.close());
  const url = await serveService(
    settings,
    {
      info: { title: 'webhooks', description: 'Whether the webhooks work.', version: '1' },
      routes: [],
      authorizer: createKubeAuthorizer({ client, clock: systemClock }),
      checks,
      port: 7448,
    },
    context,
  );
  logger.info('admission and conversion are served', { url: webhooks.url });
  return { url, server: client.server, webhooks: webhooks.url };
}

/** Rules of all rooms, held against caches of what is there. */
function followAll(client: KubeClient, { logger, metrics, open }: ServiceContext) {
  const shared = { client, clock: systemClock, random: Math.random, logger, metrics };
  const checks: Check[] = [];
  const follow = (set: string, following: Following, attach: () => void): void => {
    open.add(() => following.stop());
    checks.push(followCaches(set, following, { logger, open, onFull: attach }).check);
  };
  const network = followNetwork(shared);
  const networkAdmission = createNetworkAdmission();
  follow('network', network, () => networkAdmission.attach({ tables: network.informers, client }));
  const hosts = followHosts(shared);
  const hostAdmission = createHostAdmission();
  follow('host', hosts, () => hostAdmission.attach(hosts.view));
  const firmware = followFirmware(shared);
  const firmwareAdmission = createFirmwareAdmission();
  follow('firmware', firmware, () => firmwareAdmission.attach(firmware, createMayDo(client)));
  return { rules: [...firmwareAdmission.rules, ...networkAdmission.rules, ...hostAdmission.rules], checks };
}

interface Following {
  whenSynced(signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

function followFirmware(shared: Omit<Parameters<typeof createFleetInformers>[0], 'resyncMs'>) {
  // Credentials are nothing that admission looks at.
  const { servers, firmwares, groups, discovered } = createFleetInformers({ ...shared, resyncMs: 600_000 });
  const all = [servers, firmwares, groups, discovered];
  const fleet = createFleet({ servers, firmwares, groups });
  for (const each of all) each.start();
  return {
    fleet,
    discovered,
    async whenSynced(signal: AbortSignal) {
      await Promise.all(all.map((each) => each.whenSynced(signal)));
    },
    async stop() {
      await Promise.all(all.map((each) => each.stop()));
    },
  };
}

/** A definition that somebody else installed is converted by whoever that was. */
async function ownDefinitions(client: KubeClient): Promise<readonly string[]> {
  const definitions = client.resource<KubeObject>(definitionsRef);
  const own: string[] = [];
  for (const name of convertedDefinitions()) {
    try {
      const { metadata } = await definitions.get({ name });
      if (metadata?.labels?.['app.kubernetes.io/part-of'] === 'rackwright') own.push(name);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  return own;
}

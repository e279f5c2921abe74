import { setTimeout as delay } from 'node:timers/promises';
import { createFirmwareAdmission } from '../../firmware/index.ts';
import { createHostAdmission } from '../../hosts/index.ts';
import { createClient } from '../../kube/index.ts';
import { createNetworkAdmission } from '../../network/index.ts';
import { createMetrics } from '../../telemetry/index.ts';
import { openClusterConsole } from '../console/open-cluster-console.ts';
import { chooseProvisioner } from '../hosts/choose-provisioner.ts';
import { type CertificateSettings, readCertificate } from '../install-service/certificate.ts';
import { Closing } from '../install-service/closing.ts';
import { connectionOf } from '../install-service/stand-alone/access.ts';
import { type RunningWork, startWork, type WorkSettings } from '../install-service/start-work.ts';
import { type AuditSettings, openAudit } from '../observe/open-audit.ts';
import { openTraces } from '../observe/open-traces.ts';
import type { Settings } from '../settings.ts';
import type { Terminal } from '../terminal.ts';
import { convertedKinds } from './conversions.ts';
import { type Installed, installKinds } from './install-kinds.ts';
import { isReachable, serveWebhooks } from './webhooks.ts';

const longestFillMs = 60_000;

/** What working in somebody else's cluster is started with. */
export type ClusterSettings = WorkSettings &
  CertificateSettings &
  AuditSettings &
  Settings<'webhookUrl' | 'consolePort' | 'tracesEndpoint'> & { readonly kubeconfig: string };

/** Of the webhooks. */
const name = 'rackwright';

/** A cluster that serves our kinds, and what of us it depends on. */
export interface ClusterPlane {
  readonly server: string;
  readonly installed: Installed;
  /** Where the cluster asks for conversions; undefined when it cannot reach this process. */
  readonly conversionUrl: string | undefined;
  readonly work: RunningWork;
  /** Where the console is. */
  readonly consoleUrl: string;
  close(): Promise<void>;
}

/** Installs kinds and roles into the cluster of a kubeconfig and serves what the cluster asks back for. */
export async function startClusterPlane(settings: ClusterSettings, terminal: Terminal): Promise<ClusterPlane> {
  const open = new Closing();
  try {
    const metrics = createMetrics({ process: true });
    const client = await createClient(connectionOf(settings.kubeconfig), {
      metrics,
      onWarning: (text) => terminal.err(`Warning: ${text}\n`),
    });
    open.add(() => client.close());
    const canAskBack = isReachable(client, settings);
    const admission = createFirmwareAdmission();
    const networkAdmission = createNetworkAdmission();
    const hostAdmission = chooseProvisioner(settings) === 'rack' ? undefined : createHostAdmission();
    const rules = [...admission.rules, ...networkAdmission.rules, ...(hostAdmission?.rules ?? [])];
    let installed: Installed | undefined;
    let conversionUrl: string | undefined;
    // Whoever may not work here because the fleet belongs to another store changes nothing in the cluster.
    const prepare = async (): Promise<void> => {
      installed = await installKinds(client, {
        isReplacingOthers: false,
        conversion: canAskBack ? 'elsewhere' : 'impossible',
        signal: terminal.interrupted,
      });
      if (!canAskBack) return;
      const serving = await serveWebhooks(
        client,
        { name, configurations: [{ name, rules }], convertedDefinitions: convertedOf(installed) },
        settings,
      );
      open.add(() => serving.close());
      conversionUrl = serving.url;
    };
    const certificate = readCertificate(settings);
    const audit = openAudit(settings, (error) =>
      terminal.err(`rackwright: the audit log cannot be written: ${String(error)}\n`),
    );
    if (audit !== undefined) open.add(() => audit.close());
    const tracer = await openTraces(settings, 'rackwright');
    open.add(() => tracer.close());
    const beside = {
      client,
      certificate,
      metrics,
      audit,
      tracer,
      admission,
      networkAdmission,
      hostAdmission,
      isCluster: true,
      prepare,
    };
    const work = await startWork(settings, beside, terminal);
    open.add(() => work.close());
    // Whoever types as soon as it says that it is ready is let in. A cluster that does not give its objects is told by /readyz.
    await Promise.race([work.ready, delay(longestFillMs, undefined, { ref: false })]);
    const { port, consolePort } = settings;
    // The webhooks have the port itself, the REST services the next.
    const order = { port: consolePort ?? (port === 0 ? 0 : port + 2), rest: work.handle };
    const console = await openClusterConsole(settings, order, terminal);
    open.add(() => console.close());
    if (installed === undefined) throw new TypeError('the kinds were not installed');
    return {
      server: client.server,
      installed,
      conversionUrl,
      work,
      consoleUrl: console.url,
      close: () => open.close(),
    };
  } catch (error) {
    await open.close();
    throw error;
  }
}

function convertedOf({ definitions }: Installed): readonly string[] {
  const own = new Set(definitions);
  return convertedKinds()
    .map(({ plural, group }) => `${plural}.${group}`)
    .filter((name) => own.has(name));
}

import { type ClusterAddress, clusterAddressOf } from '../../kube/index.ts';
import { createLogger } from '../../telemetry/index.ts';
import type { ControllerSettings } from '../firmware-plane/start-controllers.ts';
import { type CertificateSettings, followCertificate, readCertificate } from '../install-service/certificate.ts';
import { connectionOf } from '../install-service/stand-alone/access.ts';
import { planRoutes, type ServerAddress } from '../plan-service/plan-routes.ts';
import type { Settings } from '../settings.ts';
import type { Terminal } from '../terminal.ts';
import { type ServedConsole, serveClusterConsole } from './cluster-console.ts';
import type { ConsoleFront } from './console-front.ts';
import { openConsole } from './open-console.ts';

/** What the console of a cluster is started with. */
export type ClusterConsoleSettings = ControllerSettings &
  CertificateSettings &
  Settings<'host'> & { readonly kubeconfig: string };

/** Where it listens, and who answers for the REST services. */
export interface ClusterConsoleOrder {
  readonly port: number;
  readonly rest: Parameters<ConsoleFront['setRest']>[0] | undefined;
}

/** Serves the console of a cluster, with plans that are made by the rights of whoever asks for them. */
export async function openClusterConsole(
  settings: ClusterConsoleSettings,
  { port, rest }: ClusterConsoleOrder,
  terminal: Terminal,
): Promise<Pick<ServedConsole, 'url' | 'close'> & { readonly server: string }> {
  const cluster = await clusterAddressOf(connectionOf(settings.kubeconfig));
  const front = openConsole();
  if (rest !== undefined) front.setRest(rest);
  const served = await serveClusterConsole({
    ...{ front, cluster, port, host: settings.host, certificate: readCertificate(settings) },
    routes: planRoutes({ address: () => connectionTo(cluster), settings }),
  });
  const stopFollowing = followCertificate({
    settings,
    rest: served,
    logger: createLogger({ name: 'console', format: 'text', write: (line) => terminal.err(line) }),
  });
  return {
    url: served.url,
    server: cluster.server,
    async close() {
      stopFollowing();
      await served.close();
    },
  };
}

/** The address in the words of a client. */
function connectionTo({ server, tls }: ClusterAddress): ReturnType<ServerAddress> {
  const { ca, servername, rejectUnauthorized } = tls;
  return {
    server,
    caPem: ca === undefined ? undefined : [ca].flat().join('\n'),
    serverName: servername === undefined ? undefined : String(servername),
    isTlsUnverified: rejectUnauthorized === false,
  };
}

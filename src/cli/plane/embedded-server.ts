import { type ApiServer, type ApiServerOptions, startApiServer } from '../../apiserver/index.ts';
import type { Settings } from '../settings.ts';
import type { Terminal } from '../terminal.ts';
import { lazyConverterOfKinds } from './lazy-conversion.ts';
import { explainListenError } from './listen-error.ts';

/** What the embedded API server is started with. */
export type EmbeddedSettings = Settings<'dataDir' | 'host' | 'port'>;

/** Starts the embedded API server without installing anything into it. */
export async function startEmbeddedServer(
  settings: EmbeddedSettings,
  terminal: Terminal,
  more: Pick<
    ApiServerOptions,
    'readiness' | 'admission' | 'egress' | 'limits' | 'auditSinks' | 'tracer' | 'routes' | 'front'
  > = {},
): Promise<ApiServer> {
  try {
    return await startApiServer({
      dataDir: settings.dataDir,
      host: settings.host,
      port: settings.port,
      converterFor: lazyConverterOfKinds(),
      ...more,
      onFault: (error) =>
        terminal.err(`rackwright: ${error instanceof Error ? (error.stack ?? error.message) : error}\n`),
    });
  } catch (error) {
    throw explainListenError(error, settings);
  }
}

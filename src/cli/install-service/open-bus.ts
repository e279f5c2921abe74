import { type Bus, BusError, connectNatsBus, createLocalBus } from '../../engine/index.ts';
import { systemClock } from '../../kube/index.ts';
import type { Logger, Metrics } from '../../telemetry/index.ts';
import { CliError, usageError } from '../errors.ts';
import { readOptionFile } from '../read-option-file.ts';
import type { Settings } from '../settings.ts';
import { readSecretFile, secretUrl } from './secret-url.ts';

/** How the bus is found. */
export type BusSettings = Settings<'natsUrl' | 'natsUrlFile' | 'natsCreds' | 'natsCa' | 'natsPrefix'>;

/** The bus that is named, or else one in this process. */
export async function openBus(
  settings: BusSettings,
  { logger, metrics }: { readonly logger: Logger; readonly metrics: Metrics },
): Promise<Bus> {
  const url = secretUrl(settings, 'natsUrl');
  const { natsCreds, natsCa, natsPrefix: prefix } = settings;
  if (url === undefined) {
    if (natsCreds !== undefined || natsCa !== undefined)
      throw usageError('--nats-creds and --nats-ca go with --nats-url');
    return createLocalBus({ logger });
  }
  try {
    return await connectNatsBus({
      url: url.split(',').map((each) => each.trim()),
      clock: systemClock,
      logger,
      metrics,
      settings: { prefix },
      ...(natsCa === undefined ? {} : { tls: { ca: readOptionFile(natsCa, '--nats-ca') } }),
      ...(natsCreds === undefined
        ? {}
        : { credentials: () => ({ kind: 'creds', creds: readSecretFile(natsCreds, '--nats-creds') }) as const }),
    });
  } catch (error) {
    if (!(error instanceof BusError)) throw error;
    throw new CliError(error.retry === 'terminal' ? 'usage' : 'unreachable', error.message, { cause: error });
  }
}

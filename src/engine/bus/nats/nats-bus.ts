import type { Clock, Random } from '../../../kube/index.ts';
import type { Logger, Metrics } from '../../../telemetry/index.ts';
import type { Bus } from '../bus.ts';
import { createBusMetrics } from '../bus-metrics.ts';
import { BusError } from '../errors.ts';
import { dial, type NatsTls } from './dial.ts';
import { keepLink } from './link-keeper.ts';
import { natsNames } from './names.ts';
import { type NatsCredentials, readNatsUrls } from './nats-address.ts';
import { completeSettings, type NatsSettings } from './nats-settings.ts';
import { createBusOver } from './session-bus.ts';
import { createSwitchboard } from './switchboard.ts';
import { within } from './within.ts';

/** How a bus over NATS is opened. */
export interface NatsBusOptions {
  /** One URL, or those of several servers of a cluster. */
  readonly url: string | readonly string[];
  /** Asked anew for every connection, so that they can change; those in the URL count unless given. */
  readonly credentials?: NatsCredentials | (() => NatsCredentials);
  readonly tls?: NatsTls;
  readonly clock: Clock;
  readonly random?: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly settings?: Partial<NatsSettings>;
}

/**
 * Opens a bus over NATS. When NATS is away it connects in the background and goes on trying for ever; when NATS refuses
 * the credentials, or cannot be trusted, at the first attempt, it says so with a BusError instead.
 */
export async function connectNatsBus(options: NatsBusOptions): Promise<Bus> {
  const { clock, logger, tls, random = Math.random } = options;
  const settings = completeSettings(options.settings ?? {});
  const names = natsNames(settings.prefix);
  const address = readNatsUrls(typeof options.url === 'string' ? [options.url] : options.url);
  const metrics = createBusMetrics(options.metrics);
  const parts = { names, settings, clock, random, logger, metrics };
  const switchboard = createSwitchboard(parts);
  const credentials = () =>
    (typeof options.credentials === 'function' ? options.credentials() : options.credentials) ?? address.credentials;
  const keeper = keepLink({
    dial: async () => dial({ address, credentials: credentials(), tls, settings }),
    onLink: (link, ended) => switchboard.connect(link, ended),
    ...parts,
  });
  const bus = createBusOver(switchboard, { ...parts, closeLink: () => keeper.close() });
  const first = await within({ clock, boundMs: settings.firstConnectMs, promise: keeper.first });
  if (first instanceof BusError && first.retry !== 'transient') {
    await bus.close();
    throw first;
  }
  return bus;
}

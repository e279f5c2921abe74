import { backoffDelay, type Clock, type Random, sleep } from '../../../kube/index.ts';
import type { Logger } from '../../../telemetry/index.ts';
import type { BusMetrics } from '../bus-metrics.ts';
import { BusError, messageOf } from '../errors.ts';
import type { Link } from './dial.ts';
import type { NatsSettings } from './nats-settings.ts';

/** What keeping a connection takes. */
export interface LinkKeeperParts {
  dial(): Promise<Link>;
  /** Sets up what runs over a new connection; `ended` is aborted when the connection has ended. */
  onLink(link: Link, ended: AbortSignal): Promise<void>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: BusMetrics;
  readonly settings: NatsSettings;
}

/** Keeps one connection, for ever. */
export interface LinkKeeper {
  /** The connection in use, when there is one. */
  readonly link: Link | undefined;
  /** How the first attempt went: undefined when it is up. */
  readonly first: Promise<BusError | undefined>;
  close(): Promise<void>;
}

/** Starts connecting in the background and never stops trying until closed. */
export function keepLink(parts: LinkKeeperParts): LinkKeeper {
  const { clock, random, logger, metrics, settings } = parts;
  const closing = new AbortController();
  const first = Promise.withResolvers<BusError | undefined>();
  let link: Link | undefined;
  let failures = 0;
  let lastProblem: string | undefined;

  const connectOnce = async (): Promise<Link | undefined> => {
    try {
      const fresh = await parts.dial();
      if (!closing.signal.aborted) return fresh;
      await fresh.nc.close();
    } catch (error) {
      const failure = asBusError(error);
      failures++;
      metrics.connectFailed(failure.code);
      // A new problem is news, the same one a hundred times is noise.
      logger[failure.code === lastProblem ? 'debug' : 'warn'](failure.message, { failures });
      lastProblem = failure.code;
      first.resolve(failure);
    }
    return undefined;
  };

  const live = async (fresh: Link): Promise<void> => {
    const began = clock.monotonic();
    const ended = new AbortController();
    link = fresh;
    lastProblem = undefined;
    metrics.connected(true);
    logger.info('connected to NATS', { server: fresh.nc.getServer() });
    const gone = endOf(fresh, closing.signal).finally(() => ended.abort());
    watchErrors(fresh, logger);
    await Promise.race([parts.onLink(fresh, ended.signal), gone]);
    first.resolve(undefined);
    const why = await gone;
    link = undefined;
    metrics.connected(false);
    if (!closing.signal.aborted) logger.warn('the connection to NATS ended; connecting again', { why });
    // A server that takes us and throws us out at once must not be asked without a pause.
    failures = clock.monotonic() - began >= settings.reconnect.maxMs ? 1 : failures + 1;
  };

  const run = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      const fresh = await connectOnce();
      if (fresh !== undefined) await live(fresh);
      if (closing.signal.aborted) return;
      await sleep(clock, backoffDelay(settings.reconnect, failures, random), closing.signal);
    }
  };
  const running = run();
  return {
    get link() {
      return link;
    },
    first: first.promise,
    async close() {
      closing.abort();
      const last = link;
      link = undefined;
      if (last === undefined) return;
      await drain(last, clock, settings.requestTimeoutMs);
      await running;
    },
  };
}

function asBusError(error: unknown): BusError {
  if (error instanceof BusError) return error;
  return new BusError('unreachable', { where: '?', detail: messageOf(error) }, { cause: error });
}

/** Resolves with the reason when the connection has ended; at once when we close, since the end then waits for us. */
function endOf(link: Link, closing: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    const ours = (): void => resolve('closing');
    closing.addEventListener('abort', ours, { once: true });
    void link.nc.closed().then((error) => {
      closing.removeEventListener('abort', ours);
      resolve(error instanceof Error ? messageOf(error) : 'closed');
    });
  });
}

function watchErrors(link: Link, logger: Logger): void {
  const watch = async (): Promise<void> => {
    for await (const status of link.nc.status()) {
      if (status.type === 'error') logger.warn('NATS reports an error', { detail: messageOf(status.error) });
    }
  };
  watch().catch((error: unknown) => logger.warn('the state of the NATS connection cannot be followed', { error }));
}

/** Lets what was sent reach the server, but not for ever. */
async function drain(link: Link, clock: Clock, boundMs: number): Promise<void> {
  const enough = new AbortController();
  const drained = link.nc.drain().catch(() => link.nc.close());
  await Promise.race([drained, sleep(clock, boundMs, enough.signal)]);
  enough.abort();
  await link.nc.close();
}

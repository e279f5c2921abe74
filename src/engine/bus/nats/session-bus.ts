import type { Bus } from '../bus.ts';
import { BusError, messageOf } from '../errors.ts';
import { dropReason } from './session.ts';
import type { Switchboard, SwitchboardParts } from './switchboard.ts';
import { within } from './within.ts';

/** The bus that others see, over a switchboard. */
export function createBusOver(switchboard: Switchboard, parts: SwitchboardParts & { closeLink(): Promise<void> }): Bus {
  const { clock, settings, logger, metrics } = parts;
  const bounded = <T>(promise: Promise<T>) => within({ clock, boundMs: settings.requestTimeoutMs, promise });
  const whyNot = () => (isClosed ? 'closed' : 'disconnected');
  const openFor = (what: string): void => {
    if (isClosed) throw new BusError('closed', { what });
  };
  let isClosed = false;
  let inFlight = 0;
  const session = () => (isClosed ? undefined : switchboard.session);
  return {
    async publish(hint) {
      const { about } = hint;
      const over = session();
      if (over === undefined) return metrics.dropped(about, whyNot());
      if (inFlight >= settings.mostInFlight) return metrics.dropped(about, 'overflow');
      inFlight++;
      const why = await over.send(hint);
      inFlight--;
      if (why === undefined) metrics.published(about);
      else metrics.dropped(about, why);
    },
    async takeWork({ facilities, kinds }, listener) {
      openFor('takeWork');
      const { started, stop } = switchboard.takers.add({ facilities, kinds, listener });
      await bounded(started);
      return async () => stop();
    },
    async listen(listener) {
      openFor('listen');
      const stop = switchboard.listen(listener);
      return async () => stop();
    },
    async keepAlive(workerId, ttlMs) {
      const over = session();
      if (over === undefined) return metrics.dropped('alive', whyNot());
      try {
        const kept = await bounded(over.life.keep(workerId, ttlMs));
        if (kept === 'late') metrics.dropped('alive', 'timeout');
        else metrics.published('alive');
      } catch (error) {
        metrics.dropped('alive', dropReason(error));
        logger.debug('a sign of life was not kept', { worker: workerId, detail: messageOf(error) });
      }
    },
    async alive() {
      const away = (detail: string) => new BusError('away', { what: 'who is alive', detail });
      const over = session();
      if (over === undefined) throw away('NATS is not connected');
      const ids = await bounded(over.life.read()).catch((error: unknown) => {
        throw away(messageOf(error));
      });
      if (ids === 'late') throw away('NATS did not answer in time');
      return ids;
    },
    get isConnected() {
      return session() !== undefined;
    },
    async close() {
      isClosed = true;
      switchboard.close();
      await parts.closeLink();
    },
  };
}

import { type Engine, type EngineEvent, isEngineError } from '../../engine/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import { type FollowUps, forgetFollowUps } from '../store/follow-ups.ts';
import type { EventFollower } from './follow-events.ts';

/**
 * Asks for the inventory after installs that could not have one in their unit, since another inventory of the server was
 * not final then. One that is open when the install ends has not begun before: it is as good. An inventory that the
 * engine refuses, as for a server that is gone meanwhile, keeps those of other servers from nothing.
 */
export function createInstallFollower(parts: {
  readonly engine: Pick<Engine, 'create'>;
  readonly followUps: FollowUps;
  readonly logger: Logger;
}): EventFollower {
  const { engine, followUps, logger } = parts;
  const endsOf = (events: readonly EngineEvent[]) =>
    events.flatMap(({ event, conditionId, target, state }) =>
      event === 'finalized' && conditionId !== undefined && target !== undefined
        ? [{ conditionId, target, state }]
        : [],
    );
  return {
    name: 'installs',
    async before(events) {
      const ends = endsOf(events);
      const followed = new Set(await followUps.among(ends.map(({ conditionId }) => conditionId)));
      for (const { conditionId, target, state } of ends) {
        if (!followed.has(conditionId) || state !== 'succeeded') continue;
        const orders = [{ kind: 'inventoryOOB', parameters: {} }];
        try {
          const { outcome } = await engine.create({ target, orders, client: 'conditionorc' });
          logger.info('an install is followed by an inventory', { install: conditionId, target, outcome });
        } catch (error) {
          if (!isEngineError(error) || error.retry === 'transient') throw error;
          logger.warn('an install is followed by no inventory', { install: conditionId, target, error });
        }
      }
    },
    within: (tx, events) =>
      forgetFollowUps(
        tx,
        endsOf(events).map(({ conditionId }) => conditionId),
      ),
  };
}

import type { ServerCore } from '../core.ts';
import type { RequestContext } from '../request-context.ts';
import type { StrategyContext } from '../resource.ts';

/** What a kind's strategy may look at during this request. */
export function strategyContext(core: ServerCore, context: RequestContext): StrategyContext {
  return {
    now: context.now,
    user: context.user,
    store: core.store,
    warn: (text) => context.warnings.add(text),
  };
}

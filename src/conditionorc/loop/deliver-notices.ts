import type { Database } from '../../engine/index.ts';
import { backoffDelay, type Random } from '../../kube/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import type { OrcMetrics } from '../orc-metrics.ts';
import { claimNotice, settleNotice } from '../store/notice-book.ts';
import type { Webhook } from './webhook.ts';

/** What is needed to deliver notices. */
export interface DeliveryParts {
  readonly database: Database;
  readonly webhook: Webhook;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Pick<OrcMetrics, 'delivered'>;
}

/** Tried so often, over about two hours; then it is given up and stays in the list. */
export const mostAttempts = 8;

const backoff = { baseMs: 15_000, maxMs: 3_600_000, factor: 3 };

/** Longer than any attempt takes: a process that died in the middle of one is made up for after that. */
const claimMs = 120_000;

/** Delivers all notices that are due, one after another. Says how many attempts it made. */
export async function deliverNotices(parts: DeliveryParts, signal: AbortSignal): Promise<number> {
  for (let attempts = 0; ; attempts++) {
    const claimed = signal.aborted ? undefined : await claimNotice(parts.database, claimMs);
    if (claimed === undefined) return attempts;
    const { notice } = claimed;
    const outcome = await parts.webhook.send(notice);
    if (outcome.outcome === 'delivered') {
      parts.metrics.delivered('delivered');
      await settleNotice(parts.database, notice.seq, { delivery: 'delivered', afterMs: 0 });
      continue;
    }
    const isOver = !outcome.canRetry || claimed.attempts >= mostAttempts;
    const fields = { notice: notice.seq, type: notice.type, attempts: claimed.attempts, detail: outcome.detail };
    parts.metrics.delivered(isOver ? 'given-up' : 'retried');
    if (isOver) parts.logger.error('a notice was not delivered and is given up', fields);
    else parts.logger.warn('a notice was not delivered; it is tried again', fields);
    const afterMs = Math.max(outcome.retryAfterMs ?? 0, backoffDelay(backoff, claimed.attempts, parts.random));
    await settleNotice(parts.database, notice.seq, { delivery: isOver ? 'given-up' : 'waiting', afterMs });
  }
}

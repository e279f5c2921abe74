import type { ExtraRoute } from '../http/extra-routes.ts';
import type { RecentAudit } from './recent-audit.ts';

const usualLimit = 100;
const maxLimit = 1000;

/** `GET /audit`: the newest lines of the audit log, for those whom RBAC allows that path. */
export function auditRoute(recent: RecentAudit): ExtraRoute {
  return {
    method: 'GET',
    path: '/audit',
    async answer({ query }) {
      const limit = wholeNumber(query.get('limit')) ?? usualLimit;
      const before = wholeNumber(query.get('continue'));
      if (Number.isNaN(limit) || limit < 1 || Number.isNaN(before)) {
        return { code: 400, message: 'limit and continue are whole numbers, limit from 1' };
      }
      const text = (name: string): string | undefined => query.get(name) || undefined;
      const { items, next } = recent.page(
        {
          user: text('user'),
          verb: text('verb'),
          resource: text('resource'),
          namespace: text('namespace'),
          name: text('name'),
          agent: text('agent'),
          verdict: text('verdict'),
          isPlain: query.get('plain') === 'true',
          isByPeople: query.get('people') === 'true',
        },
        { limit: Math.min(limit, maxLimit), before },
      );
      return { code: 200, body: { kind: 'AuditPage', items, ...(next === undefined ? {} : { continue: `${next}` }) } };
    },
  };
}

function wholeNumber(text: string | null): number | undefined {
  if (text === null || text === '') return undefined;
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}

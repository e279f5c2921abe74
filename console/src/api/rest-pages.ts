import { askRest } from './request.ts';

type Query = Readonly<Record<string, string>>;
type Ask = <T>(question: { readonly path: string }) => Promise<T>;

/** The services give no more at once. */
const mostAtOnce = 1000;

/** Reads every record of a list whose parts are numbered. */
export async function everyRecord<T>(path: string, query: Query = {}, ask: Ask = askRest): Promise<readonly T[]> {
  const found: T[] = [];
  for (let page = 1; ; page++) {
    const asked = new URLSearchParams({ ...query, limit: String(mostAtOnce), page: String(page) });
    const { records, total_pages: pages } = await ask<{ records: readonly T[]; total_pages: number }>({
      path: `${path}?${asked}`,
    });
    found.push(...records);
    if (page >= pages || records.length === 0) return found;
  }
}

/** What was read of a list that goes on. */
export interface FirstRecords<T> {
  readonly records: readonly T[];
  /** Whether there are others that were not read. */
  readonly isMore: boolean;
}

/** Reads a list whose parts name the next one, as many parts as are given at most. */
export async function firstRecords<T>(
  path: string,
  { query = {}, mostParts }: { readonly query?: Query; readonly mostParts: number },
  ask: Ask = askRest,
): Promise<FirstRecords<T>> {
  const found: T[] = [];
  let after: string | null = null;
  for (let part = 0; part < mostParts; part++) {
    const asked = new URLSearchParams({ ...query, limit: String(mostAtOnce), ...(after === null ? {} : { after }) });
    const answer: { records: readonly T[]; next?: string | null } = await ask({ path: `${path}?${asked}` });
    found.push(...answer.records);
    after = answer.next ?? null;
    if (after === null) return { records: found, isMore: false };
  }
  return { records: found, isMore: true };
}

import type { JsonObject } from '../engine/index.ts';
import type { Answer } from './answer.ts';

/** Which part of a list is wanted. */
export interface PageRequest {
  readonly limit: number;
  /** The first is 1. */
  readonly page: number;
  readonly orderBy: string | undefined;
  readonly isDescending: boolean;
}

/** One part of a list. */
export interface Page<T> {
  readonly records: readonly T[];
  readonly total: number;
}

/** Reads limit, page and orderby of a query that was checked against `pageQuery`. */
export function readPage(query: {
  readonly limit?: number | undefined;
  readonly page?: number | undefined;
  readonly orderby?: string | undefined;
}): PageRequest {
  const isDescending = query.orderby?.startsWith('-') ?? false;
  return {
    limit: query.limit ?? 100,
    page: query.page ?? 1,
    orderBy: isDescending ? query.orderby?.slice(1) : query.orderby,
    isDescending,
  };
}

/** 200 with one page and links to the others. */
export function answerPage<T>(
  page: Page<T>,
  asked: { readonly request: PageRequest; readonly url: string; readonly show: (record: T) => JsonObject },
): Answer {
  const { request, url, show } = asked;
  const pages = Math.ceil(page.total / request.limit);
  const link = (number: number) => ({ href: withPage(url, number) });
  const { page: current } = request;
  return {
    status: 200,
    body: {
      page_size: page.records.length,
      page: current,
      page_count: page.records.length,
      total_pages: pages,
      total_record_count: page.total,
      _links: {
        self: { href: url },
        first: link(1),
        last: link(Math.max(1, pages)),
        ...(current > 1 ? { previous: link(Math.min(current - 1, Math.max(1, pages))) } : {}),
        ...(current < pages ? { next: link(current + 1) } : {}),
      },
      records: page.records.map(show),
    },
  };
}

function withPage(url: string, page: number): string {
  const [path = '', query = ''] = url.split('?', 2);
  const parameters = new URLSearchParams(query);
  parameters.set('page', String(page));
  return `${path}?${parameters}`;
}

import type { JsonObject } from '../engine/index.ts';

/** What a handler answers. */
export interface Answer {
  readonly status: number;
  /** A text only on routes that declare a media type of their own. */
  readonly body: JsonObject | string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** 200 with one record. */
export function answerRecord(record: JsonObject, message?: string): Answer {
  return { status: 200, body: message === undefined ? { record } : { message, record } };
}

/** 200 with a word about what was done. */
export function answerMessage(message: string, more: JsonObject = {}): Answer {
  return { status: 200, body: { message, ...more } };
}

/** 201 for something that is there now, with where to find it. */
export function answerCreated(created: {
  readonly location: string;
  readonly slug: string;
  readonly record: JsonObject;
}): Answer {
  const { location, slug, record } = created;
  return { status: 201, body: { message: 'resource created', slug, record }, headers: { location } };
}

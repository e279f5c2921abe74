import { Type } from 'typebox';
import type { JsonObject } from '../engine/index.ts';
import { RestError } from './errors.ts';
import { defineRoute, type Route } from './route.ts';
import { AnyObject, Struct } from './shapes.ts';

const Health = Struct(
  { status: Type.Literal('ok', { description: 'All is well.' }) },
  { title: 'Health', description: 'That the service lives, or is ready.' },
);

/** What every REST server serves: whether it lives, whether it is ready, and what it serves. */
export function serviceRoutes(about: {
  readonly openapi: () => JsonObject;
  readonly missing: () => Promise<readonly string[]> | readonly string[];
}): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/livez',
      operation: 'getLiveness',
      summary: 'Whether the process answers.',
      tag: 'service',
      access: 'public',
      answers: { 200: Health },
      handle: () => ({ status: 200, body: { status: 'ok' } }),
    }),
    defineRoute({
      method: 'GET',
      path: '/readyz',
      operation: 'getReadiness',
      summary: 'Whether all that requests need is there.',
      tag: 'service',
      access: 'public',
      answers: { 200: Health },
      async handle() {
        const missing = await about.missing();
        if (missing.length === 0) return { status: 200, body: { status: 'ok' } };
        throw new RestError('unavailable', { detail: `not ready: ${missing.join(', ')}` });
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/openapi.json',
      operation: 'getOpenapi',
      summary: 'This document.',
      tag: 'service',
      access: 'public',
      answers: { 200: AnyObject('An OpenAPI 3.1 document.') },
      handle: () => ({ status: 200, body: about.openapi() }),
    }),
  ];
}

import { createHash } from 'node:crypto';
import { type DiscoverySource, groupNames, groupVersions } from '../discovery/discovery.ts';
import { type OpenApiV2, openApiV2 } from './v2.ts';
import { openApiV2Protobuf } from './v2-protobuf.ts';
import { openApiV3 } from './v3.ts';

/** The OpenAPI documents of everything that is served now. */
export interface OpenApiDocuments {
  /** `GET /openapi/v3`: where the document of each group version is, with its hash. */
  v3Index(): object;
  /** `GET /openapi/v3/apis/GROUP/VERSION`; undefined when there is none. */
  v3Document(path: string): string | undefined;
  /** `GET /openapi/v2`, as text. */
  v2(): string;
  /** The same, as kubectl reads it. */
  v2Protobuf(): Buffer;
}

/** Builds documents when they are first asked for, and again after the set of resources changed. */
export function createOpenApiDocuments(
  source: DiscoverySource,
  title: { name: string; version: string },
): OpenApiDocuments {
  const cache = { generation: -1, v3: new Map<string, string>(), v2: undefined as OpenApiV2 | undefined };
  const fresh = (): typeof cache => {
    if (cache.generation !== source.registry.generation) {
      cache.generation = source.registry.generation;
      cache.v3.clear();
      cache.v2 = undefined;
    }
    return cache;
  };
  const document = (path: string): string | undefined => {
    const { v3 } = fresh();
    const known = v3.get(path);
    if (known !== undefined) return known;
    const built = openApiV3(source, path, title);
    if (built === undefined) return undefined;
    const text = JSON.stringify(built);
    v3.set(path, text);
    return text;
  };
  return {
    v3Index: () => ({
      paths: Object.fromEntries(
        paths(source).map((path) => [path, { serverRelativeURL: urlOf(path, document(path)) }]),
      ),
    }),
    v3Document: document,
    v2() {
      const current = fresh();
      current.v2 ??= openApiV2(source, title);
      return JSON.stringify(current.v2);
    },
    v2Protobuf() {
      const current = fresh();
      current.v2 ??= openApiV2(source, title);
      return openApiV2Protobuf(current.v2);
    },
  };
}

function urlOf(path: string, text: string | undefined): string {
  const hash = createHash('sha512')
    .update(text ?? '')
    .digest('hex')
    .toUpperCase()
    .slice(0, 128);
  return `/openapi/v3/${path}?hash=${hash}`;
}

function paths(source: DiscoverySource): string[] {
  const list = ['api/v1'];
  for (const group of groupNames(source)) {
    for (const version of groupVersions(source, group)) list.push(`apis/${group}/${version}`);
  }
  return list;
}

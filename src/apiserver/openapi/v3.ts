import { type DiscoverySource, groupVersions } from '../discovery/discovery.ts';
import { sharedDefinitions, versionDefinitions } from './definitions.ts';
import { type Dialect, pathsOf } from './paths.ts';

const refPrefix = '#/components/schemas/';
const bodyTypes = ['application/json', 'application/yaml'];

const dialect: Dialect = {
  refPrefix,
  body: (ref) => ({ requestBody: { content: content(bodyTypes, ref) } }),
  patchBody: (mediaTypes) => ({
    requestBody: { content: content(mediaTypes, 'io.k8s.apimachinery.pkg.apis.meta.v1.Patch') },
  }),
  answer: (ref) => ({ content: content(bodyTypes, ref) }),
  parameter: (name, place, type) => ({
    name,
    in: place,
    ...(place === 'path' ? { required: true } : {}),
    schema: { type, uniqueItems: true },
  }),
};

function content(mediaTypes: readonly string[], ref: string): object {
  return Object.fromEntries(mediaTypes.map((type) => [type, { schema: { $ref: `${refPrefix}${ref}` } }]));
}

/** The OpenAPI 3 document of one group version, by its path (`api/v1`, `apis/GROUP/VERSION`). */
export function openApiV3(
  source: DiscoverySource,
  path: string,
  title: { name: string; version: string },
): object | undefined {
  const [root, first = '', second = ''] = path.split('/');
  const [group, version] = root === 'api' ? ['', first] : [first, second];
  if (!groupVersions(source, group).includes(version)) return undefined;
  return {
    openapi: '3.0.0',
    info: { title: title.name, version: title.version },
    paths: pathsOf(source, group, version, dialect),
    components: {
      schemas: { ...versionDefinitions(source, group, version, refPrefix), ...sharedDefinitions(refPrefix) },
    },
  };
}

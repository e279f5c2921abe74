import {
  type AnyKubeObject,
  apiVersionOf,
  isNotFound,
  parseApiVersion,
  type ServedResource,
} from '../../kube/index.ts';
import { usageError } from '../errors.ts';
import type { Session } from './session.ts';

/** Objects named on a command line: some of a resource by name, or all of it. */
export interface Target {
  readonly resource: ServedResource;
  /** Undefined: all of them. */
  readonly names: readonly string[] | undefined;
}

/** Reads `TYPE[,TYPE] [NAME ...]` or `TYPE/NAME ...`. */
export async function readTargets(words: readonly string[], session: Session): Promise<Target[]> {
  const [first, ...names] = words;
  if (first === undefined) throw usageError('say which kind of object is meant, e.g. "baremetalhosts" or "bmh/host-1"');
  if (words.some((word) => word.includes('/'))) return readPairs(words, session);
  const resources = (await Promise.all(first.split(',').map((type) => findResources(type, session)))).flat();
  return resources.map((resource) => ({ resource, names: names.length === 0 ? undefined : names }));
}

async function readPairs(words: readonly string[], session: Session): Promise<Target[]> {
  const targets: Target[] = [];
  for (const word of words) {
    const [type = '', name = '', ...rest] = word.split('/');
    if (type === '' || name === '' || rest.length > 0) {
      throw usageError(`"${word}": names are either all written TYPE/NAME, or as one TYPE and then the NAMEs`);
    }
    targets.push({ resource: await session.mapper.byName(type), names: [name] });
  }
  return targets;
}

/** A name may also be that of a category, such as `all` or `metal3`. */
async function findResources(type: string, { mapper }: Session): Promise<ServedResource[]> {
  try {
    return [await mapper.byName(type)];
  } catch (error) {
    const category = isNotFound(error) ? await mapper.byCategory(type) : [];
    if (category.length === 0) throw error;
    return category;
  }
}

/** The path of a resource, or of one object of it. */
export function pathOf(resource: ServedResource, namespace: string | undefined, name?: string): string {
  const version = apiVersionOf(resource);
  const root = resource.group === '' ? `/api/${version}` : `/apis/${version}`;
  const within = resource.namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${root}${within}/${resource.resource}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`;
}

/** `baremetalhost.metal3.io`, as messages name the kind of an object. */
export function kindName(resource: { readonly kind?: string | undefined; readonly group: string }): string {
  const kind = (resource.kind ?? '').toLowerCase();
  return resource.group === '' ? kind : `${kind}.${resource.group}`;
}

/** `baremetalhost.metal3.io/host-1`. */
export function objectName(object: AnyKubeObject): string {
  const { group } = parseApiVersion(object.apiVersion ?? '');
  return `${kindName({ kind: object.kind, group })}/${object.metadata?.name ?? ''}`;
}

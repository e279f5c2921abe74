import type { JsonObject } from '../../schema/index.ts';
import { clusterGroup, infrastructureGroup } from '../cluster/names.ts';
import { convertCluster } from './cluster.ts';
import { ConversionError, type ConversionOptions } from './convert.ts';
import { convertInfrastructure } from './infrastructure.ts';

/**
 * Converts an object of any of our kinds to another version of its group; a pure function. Throws a ConversionError
 * when the kind or a version is not known.
 */
export function convert(object: JsonObject, toApiVersion: string, options?: ConversionOptions): JsonObject {
  if (object.apiVersion === toApiVersion) return object;
  const group = toApiVersion.slice(0, Math.max(0, toApiVersion.lastIndexOf('/')));
  if (group === clusterGroup) return convertCluster(object, toApiVersion, options);
  if (group === infrastructureGroup) return convertInfrastructure(object, toApiVersion, options);
  throw new ConversionError(`cannot convert ${object.kind} from ${object.apiVersion} to ${toApiVersion}`);
}

export { convertCluster } from './cluster.ts';
export { ConversionError, type ConversionOptions } from './convert.ts';
export { convertInfrastructure } from './infrastructure.ts';

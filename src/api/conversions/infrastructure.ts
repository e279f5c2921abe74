import { isJsonObject, type JsonObject } from '../../schema/index.ts';
import { infrastructureGroup } from '../cluster/names.ts';
import { type ConversionOptions, convertWithin, type GroupConversion } from './convert.ts';
import { type Direction, type FieldMove, under, type ValueMapping } from './field-moves.ts';
import { legacyConditions, legacyFailure } from './status-moves.ts';
import { toFailureDomainList, toFailureDomainMap, toNamespacedName } from './value-mappings.ts';

const imageUp: ValueMapping = (image) => {
  // Go clients send an empty image beside customDeploy.
  if (!isJsonObject(image) || image.url === '') return undefined;
  const { format, ...rest } = image;
  return format === undefined ? rest : { ...rest, diskFormat: format };
};

const imageDown: ValueMapping = (image) => {
  if (!isJsonObject(image)) return undefined;
  const { diskFormat, ...rest } = image;
  return diskFormat === undefined ? rest : { ...rest, format: diskFormat };
};

const machineSpec: readonly FieldMove[] = [
  { old: 'image', new: 'image', up: imageUp, down: imageDown },
  { old: 'dataTemplate', new: 'dataTemplate', up: toNamespacedName },
];

const provisioned: readonly FieldMove[] = [
  { old: 'status.ready', new: 'status.initialization.provisioned' },
  { old: null, new: 'status.initialization' },
];

const machine: readonly FieldMove[] = [
  ...under(machineSpec, 'spec'),
  { old: 'status.phase', new: null },
  { old: 'status.renderedData', new: 'status.renderedData', up: toNamespacedName },
  ...provisioned,
  ...legacyFailure,
  ...legacyConditions,
];

const failureDomains = { up: toFailureDomainList, down: toFailureDomainMap };

const cluster: readonly FieldMove[] = [
  { old: 'spec.failureDomains', new: 'spec.failureDomains', ...failureDomains },
  { old: 'status.failureDomains', new: 'status.failureDomains', ...failureDomains },
  ...provisioned,
  ...legacyFailure,
  ...legacyConditions,
];

// Only v1beta1 has noCloudProvider. It is not made up on the way down: beside it, a client could no longer change
// cloudProviderEnabled alone.
function finishCluster(body: JsonObject, direction: Direction): void {
  const spec = body.spec;
  if (direction === 'down' || !isJsonObject(spec)) return;
  if (typeof spec.noCloudProvider === 'boolean') spec.cloudProviderEnabled ??= !spec.noCloudProvider;
  delete spec.noCloudProvider;
}

/** The conversions of infrastructure.cluster.x-k8s.io between v1beta1 and v1beta2. */
export const infrastructureConversion: GroupConversion = {
  group: infrastructureGroup,
  oldVersion: 'v1beta1',
  newVersion: 'v1beta2',
  kinds: {
    Metal3Machine: { moves: machine },
    Metal3MachineTemplate: { moves: under(machineSpec, 'spec.template.spec') },
    Metal3Cluster: { moves: cluster, finish: finishCluster },
  },
};

/** Converts an object of infrastructure.cluster.x-k8s.io to another version of that group. */
export function convertInfrastructure(
  object: JsonObject,
  toApiVersion: string,
  options?: ConversionOptions,
): JsonObject {
  return convertWithin(infrastructureConversion, object, { toApiVersion, options });
}

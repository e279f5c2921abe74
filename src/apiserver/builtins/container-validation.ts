import { duplicateError, type FieldError, forbiddenError, invalidError, requiredError } from '../../schema/index.ts';
import { choiceFaults, labelFaults, portNameFaults, portNumberFaults } from './checks.ts';
import type { Container, EnvSource } from './pod-object.ts';
import { securityFaults } from './pod-settings-validation.ts';
import { handlerFaults, probeFaults } from './probe-validation.ts';
import { resourceFaults } from './resource-validation.ts';

/** What containers are checked against: the pod's volumes that are sound. */
export interface ContainerSurroundings {
  readonly volumes: ReadonlySet<string>;
}

const pullPolicies = ['Always', 'IfNotPresent', 'Never'];
const protocols = ['SCTP', 'TCP', 'UDP'];

/** What is wrong with the ordinary containers of a pod. */
export function containersFaults(containers: Container[], field: string, around: ContainerSurroundings): FieldError[] {
  if (containers.length === 0) return [requiredError(field)];
  const errors: FieldError[] = [];
  const names = new Set<string>();
  for (const [index, container] of containers.entries()) {
    const path = `${field}[${index}]`;
    errors.push(...containerFaults(container, path, around));
    if (names.has(container.name ?? '')) errors.push(duplicateError(`${path}.name`, container.name ?? ''));
    names.add(container.name ?? '');
    errors.push(...lifecycleFaults(container, path));
    if (container.restartPolicy !== undefined) {
      errors.push(forbiddenError(`${path}.restartPolicy`, 'may not be set for non-init containers'));
    }
  }
  return [...errors, ...hostPortFaults(containers, field)];
}

/** What is wrong with containers that run before the others. */
export function initContainersFaults(
  containers: Container[],
  field: string,
  around: ContainerSurroundings & { readonly others: Container[] },
): FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set(around.others.map((container) => container.name ?? ''));
  for (const [index, container] of containers.entries()) {
    const path = `${field}[${index}]`;
    errors.push(...containerFaults(container, path, around));
    if (names.has(container.name ?? '')) errors.push(duplicateError(`${path}.name`, container.name ?? ''));
    names.add(container.name ?? '');
    if (container.restartPolicy === 'Always') {
      errors.push(...lifecycleFaults(container, path));
      continue;
    }
    const words = 'may not be set for init containers without restartPolicy=Always';
    for (const part of ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const) {
      if (container[part] !== undefined) errors.push(forbiddenError(`${path}.${part}`, words));
    }
  }
  return errors;
}

function containerFaults(container: Container, path: string, around: ContainerSurroundings): FieldError[] {
  const name = container.name ?? '';
  return [
    ...(name === '' ? [requiredError(`${path}.name`)] : labelFaults(name, `${path}.name`)),
    ...((container.image ?? '') === '' ? [requiredError(`${path}.image`)] : []),
    ...choiceFaults(container.terminationMessagePolicy, `${path}.terminationMessagePolicy`, [
      'File',
      'FallbackToLogsOnError',
    ]),
    ...portsFaults(container, `${path}.ports`),
    ...envFaults(container, `${path}.env`),
    ...envFromFaults(container, `${path}.envFrom`),
    ...mountFaults(container, `${path}.volumeMounts`, around),
    ...deviceFaults(container, `${path}.volumeDevices`, around),
    ...choiceFaults(container.imagePullPolicy, `${path}.imagePullPolicy`, pullPolicies),
    ...resourceFaults(container.resources ?? {}, `${path}.resources`),
    ...securityFaults(container.securityContext ?? {}, `${path}.securityContext`),
  ];
}

function portsFaults(container: Container, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  for (const [index, port] of (container.ports ?? []).entries()) {
    const path = `${field}[${index}]`;
    if (port.name !== undefined) {
      const faults = portNameFaults(port.name, `${path}.name`);
      if (faults.length === 0 && names.has(port.name)) faults.push(duplicateError(`${path}.name`, port.name));
      names.add(port.name);
      errors.push(...faults);
    }
    if ((port.containerPort ?? 0) === 0) errors.push(requiredError(`${path}.containerPort`));
    else errors.push(...portNumberFaults(port.containerPort ?? 0, `${path}.containerPort`));
    if (port.hostPort !== undefined) errors.push(...portNumberFaults(port.hostPort, `${path}.hostPort`));
    errors.push(...choiceFaults(port.protocol, `${path}.protocol`, protocols));
  }
  return errors;
}

function hostPortFaults(containers: Container[], field: string): FieldError[] {
  const errors: FieldError[] = [];
  const taken = new Set<string>();
  for (const [at, { ports = [] }] of containers.entries()) {
    for (const [index, port] of ports.entries()) {
      if (port.hostPort === undefined) continue;
      const key = `${port.protocol ?? ''}/${port.hostIP ?? ''}/${port.hostPort}`;
      if (taken.has(key)) errors.push(duplicateError(`${field}[${at}].ports[${index}].hostPort`, key));
      taken.add(key);
    }
  }
  return errors;
}

function envFaults(container: Container, field: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, { name = '', value = '', valueFrom }] of (container.env ?? []).entries()) {
    const path = `${field}[${index}]`;
    if (name === '') errors.push(requiredError(`${path}.name`));
    else if (!/^[\x20-\x3c\x3e-\x7e]+$/.test(name)) {
      errors.push(
        invalidError(
          `${path}.name`,
          name,
          "a valid environment variable name must consist only of printable ASCII characters other than '='",
        ),
      );
    }
    if (valueFrom !== undefined) errors.push(...envSourceFaults(valueFrom, value, `${path}.valueFrom`));
  }
  return errors;
}

function envSourceFaults(source: EnvSource, value: string, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (source.fieldRef !== undefined && (source.fieldRef.fieldPath ?? '') === '') {
    errors.push(requiredError(`${path}.fieldRef.fieldPath`));
  }
  if (source.resourceFieldRef !== undefined && (source.resourceFieldRef.resource ?? '') === '') {
    errors.push(requiredError(`${path}.resourceFieldRef.resource`));
  }
  for (const part of ['configMapKeyRef', 'secretKeyRef'] as const) {
    const ref = source[part];
    if (ref === undefined) continue;
    if ((ref.name ?? '') === '') errors.push(requiredError(`${path}.${part}.name`));
    if ((ref.key ?? '') === '') errors.push(requiredError(`${path}.${part}.key`));
  }
  const count = Object.keys(source).length;
  if (count === 0) {
    const words = 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`';
    errors.push(invalidError(path, '', words));
  } else if (value !== '') errors.push(invalidError(path, '', 'may not be specified when `value` is not empty'));
  else if (count > 1) errors.push(invalidError(path, '', 'may not have more than one field specified at a time'));
  return errors;
}

function envFromFaults(container: Container, field: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, source] of (container.envFrom ?? []).entries()) {
    const path = `${field}[${index}]`;
    const given = (['configMapRef', 'secretRef'] as const).filter((part) => source[part] !== undefined);
    for (const part of given) {
      if ((source[part]?.name ?? '') === '') errors.push(requiredError(`${path}.${part}.name`));
    }
    if (given.length === 0) errors.push(invalidError(field, '', 'must specify one of: `configMapRef` or `secretRef`'));
    if (given.length > 1) errors.push(invalidError(field, '', 'may not have more than one field specified at a time'));
  }
  return errors;
}

function mountFaults(container: Container, field: string, around: ContainerSurroundings): FieldError[] {
  const errors: FieldError[] = [];
  const places = new Set<string>();
  for (const [index, { name = '', mountPath = '' }] of (container.volumeMounts ?? []).entries()) {
    const path = `${field}[${index}]`;
    if (name === '') errors.push(requiredError(`${path}.name`));
    if (!around.volumes.has(name)) {
      errors.push({ reason: 'FieldValueNotFound', field: `${path}.name`, badValue: name, detail: '' });
    }
    if (mountPath === '') errors.push(requiredError(`${path}.mountPath`));
    if (places.has(mountPath)) errors.push(invalidError(`${path}.mountPath`, mountPath, 'must be unique'));
    places.add(mountPath);
  }
  return errors;
}

function deviceFaults(container: Container, field: string, around: ContainerSurroundings): FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, { name = '', devicePath = '' }] of (container.volumeDevices ?? []).entries()) {
    const path = `${field}[${index}]`;
    if (name === '') errors.push(requiredError(`${path}.name`));
    if (devicePath === '') errors.push(requiredError(`${path}.devicePath`));
    if (!around.volumes.has(name)) {
      errors.push({ reason: 'FieldValueNotFound', field: `${path}.name`, badValue: name, detail: '' });
    }
  }
  return errors;
}

function lifecycleFaults(container: Container, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const hook of ['postStart', 'preStop'] as const) {
    const handler = container.lifecycle?.[hook];
    if (handler !== undefined) errors.push(...handlerFaults(handler, `${path}.lifecycle.${hook}`));
  }
  for (const kind of ['livenessProbe', 'readinessProbe', 'startupProbe'] as const) {
    const probe = container[kind];
    if (probe !== undefined) errors.push(...probeFaults(probe, `${path}.${kind}`, kind));
  }
  return errors;
}

/** What a pod's restart policy may be. */
export function restartPolicyFaults(policy: string | undefined, field: string): FieldError[] {
  return choiceFaults(policy, field, ['Always', 'OnFailure', 'Never']);
}

import { type FieldError, forbiddenError, invalidError, notSupportedError, requiredError } from '../../schema/index.ts';
import { negativeFaults, portFaults } from './checks.ts';
import type { Handler, Probe } from './pod-object.ts';

/** What is wrong with what a probe or hook does: exactly one thing, done properly. */
export function handlerFaults(handler: Handler, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const given = (['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'] as const).filter((k) => handler[k] !== undefined);
  for (const [index, kind] of given.entries()) {
    if (index > 0) errors.push(forbiddenError(`${path}.${kind}`, 'may not specify more than 1 handler type'));
    else errors.push(...actionFaults(handler, kind, `${path}.${kind}`));
  }
  if (given.length === 0) errors.push(requiredError(path, 'must specify a handler type'));
  return errors;
}

function actionFaults(handler: Handler, kind: keyof Handler, path: string): FieldError[] {
  if (kind === 'exec') return (handler.exec?.command ?? []).length === 0 ? [requiredError(`${path}.command`)] : [];
  if (kind === 'tcpSocket') return portFaults(handler.tcpSocket?.port, `${path}.port`);
  if (kind === 'grpc') return portFaults(handler.grpc?.port, `${path}.port`);
  if (kind !== 'httpGet') return [];
  const { path: url = '', port, scheme = '' } = handler.httpGet ?? {};
  const schemes = ['HTTP', 'HTTPS'];
  return [
    ...(url === '' ? [requiredError(`${path}.path`)] : []),
    ...portFaults(port, `${path}.port`),
    ...(schemes.includes(scheme) ? [] : [notSupportedError(`${path}.scheme`, scheme, schemes)]),
  ];
}

/** What is wrong with a probe. */
export function probeFaults(
  probe: Probe,
  path: string,
  kind: 'livenessProbe' | 'readinessProbe' | 'startupProbe',
): FieldError[] {
  const errors = handlerFaults(probe, path);
  const numbers = [
    'initialDelaySeconds',
    'timeoutSeconds',
    'periodSeconds',
    'successThreshold',
    'failureThreshold',
  ] as const;
  for (const name of numbers) errors.push(...negativeFaults(probe[name], `${path}.${name}`));
  const grace = probe.terminationGracePeriodSeconds;
  if (grace !== undefined && grace <= 0) {
    errors.push(invalidError(`${path}.terminationGracePeriodSeconds`, grace, 'must be greater than 0'));
  }
  if (kind === 'readinessProbe') {
    const words = 'must not be set for readinessProbes';
    if (grace !== undefined) errors.push(invalidError(`${path}.terminationGracePeriodSeconds`, grace, words));
  } else if (probe.successThreshold !== 1) {
    errors.push(invalidError(`${path}.successThreshold`, probe.successThreshold ?? 0, 'must be 1'));
  }
  return errors;
}

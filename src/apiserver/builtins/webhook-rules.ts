import { type FieldError, invalidError, notSupportedError, requiredError } from '../../schema/index.ts';
import type { WebhookRule } from './webhook-configurations.ts';

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const scopes = ['*', 'Cluster', 'Namespaced'];

/** What is wrong with a rule of an admission webhook. */
export function webhookRuleFaults(rule: WebhookRule, path: string): FieldError[] {
  const asked = rule.operations ?? [];
  const errors = listFaults(asked, `${path}.operations`, 'operations');
  for (const [index, operation] of asked.entries()) {
    if (!operations.includes(operation))
      errors.push(notSupportedError(`${path}.operations[${index}]`, operation, operations));
  }
  errors.push(...listFaults(rule.apiGroups ?? [], `${path}.apiGroups`, 'API groups'));
  errors.push(...listFaults(rule.apiVersions ?? [], `${path}.apiVersions`, 'API versions'));
  for (const [index, version] of (rule.apiVersions ?? []).entries()) {
    if (version === '') errors.push(requiredError(`${path}.apiVersions[${index}]`));
  }
  errors.push(...resourcesFaults(rule.resources ?? [], `${path}.resources`));
  if (rule.scope !== undefined && !scopes.includes(rule.scope)) {
    errors.push(notSupportedError(`${path}.scope`, rule.scope, scopes));
  }
  return errors;
}

function listFaults(list: string[], path: string, what: string): FieldError[] {
  if (list.length === 0) return [requiredError(path)];
  if (list.length === 1 || !list.includes('*')) return [];
  return [invalidError(path, list, `if '*' is present, must not specify other ${what}`)];
}

function resourcesFaults(resources: string[], path: string): FieldError[] {
  if (resources.length === 0) return [requiredError(path)];
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, text] of resources.entries()) {
    const [resource = '', subresource] = text.split('/', 2);
    if (text === '') errors.push(requiredError(`${path}[${index}]`));
    const covers =
      seen.has('*/*') || seen.has(`${resource}/*`) || (subresource !== undefined && seen.has(`*/${subresource}`));
    if (covers) {
      const words = `if '${seen.has('*/*') ? '*/*' : seen.has(`${resource}/*`) ? `${resource}/*` : `*/${subresource ?? ''}`}' is present, must not specify ${text}`;
      errors.push(invalidError(`${path}[${index}]`, text, words));
    }
    seen.add(text);
  }
  if (
    resources.length > 1 &&
    resources.includes('*') &&
    resources.some((text) => text !== '*' && !text.includes('/'))
  ) {
    const words = "if '*' is present, must not specify other resources without subresources";
    errors.push(invalidError(path, resources, words));
  }
  return errors;
}

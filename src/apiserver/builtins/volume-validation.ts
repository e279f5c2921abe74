import { duplicateError, type FieldError, forbiddenError, invalidError, requiredError } from '../../schema/index.ts';
import { labelFaults } from './checks.ts';
import type { KeyToPath, Volume } from './pod-object.ts';

const modeWords = 'must be a number between 0 and 0777 (octal), both inclusive';

/** What is wrong with a pod's volumes, and the names of those that are sound. */
export function volumesFaults(volumes: Volume[], field: string): { errors: FieldError[]; names: Set<string> } {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  for (const [index, volume] of volumes.entries()) {
    const path = `${field}[${index}]`;
    const name = volume.name ?? '';
    const own = sourceFaults(volume, path);
    own.push(...(name === '' ? [requiredError(`${path}.name`)] : labelFaults(name, `${path}.name`)));
    if (names.has(name)) own.push(duplicateError(`${path}.name`, name));
    if (own.length === 0) names.add(name);
    errors.push(...own);
  }
  return { errors, names };
}

function sourceFaults(volume: Volume, path: string): FieldError[] {
  const kinds = Object.keys(volume).filter((key) => key !== 'name');
  if (kinds.length === 0) return [requiredError(path, 'must specify a volume type')];
  const errors: FieldError[] = [];
  // An empty directory is the default, so it counts first.
  kinds.sort((a, b) => Number(b === 'emptyDir') - Number(a === 'emptyDir'));
  for (const [index, kind] of kinds.entries()) {
    if (index > 0) errors.push(forbiddenError(`${path}.${kind}`, 'may not specify more than 1 volume type'));
    else errors.push(...kindFaults(volume, kind, `${path}.${kind}`));
  }
  return errors;
}

function kindFaults(volume: Volume, kind: string, path: string): FieldError[] {
  switch (kind) {
    case 'hostPath':
      return hostPathFaults(volume.hostPath?.path ?? '', `${path}.path`);
    case 'secret':
      return keyedFaults(volume.secret ?? {}, volume.secret?.secretName, { path, name: 'secretName' });
    case 'configMap':
      return keyedFaults(volume.configMap ?? {}, volume.configMap?.name, { path, name: 'name' });
    case 'persistentVolumeClaim':
      return (volume.persistentVolumeClaim?.claimName ?? '') === '' ? [requiredError(`${path}.claimName`)] : [];
    case 'nfs':
      return nfsFaults(volume.nfs ?? {}, path);
    default:
      return [];
  }
}

function hostPathFaults(text: string, path: string): FieldError[] {
  if (text === '') return [requiredError(path)];
  return text.split('/').includes('..') ? [invalidError(path, text, "must not contain '..'")] : [];
}

function nfsFaults({ server = '', path: shared = '' }: { server?: string; path?: string }, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (server === '') errors.push(requiredError(`${path}.server`));
  if (shared === '') errors.push(requiredError(`${path}.path`));
  if (!shared.startsWith('/')) errors.push(invalidError(`${path}.path`, shared, 'must be an absolute path'));
  return errors;
}

function keyedFaults(
  source: { defaultMode?: number; items?: KeyToPath[] },
  named: string | undefined,
  at: { path: string; name: string },
): FieldError[] {
  const errors: FieldError[] = [];
  if ((named ?? '') === '') errors.push(requiredError(`${at.path}.${at.name}`));
  errors.push(...modeFaults(source.defaultMode, `${at.path}.defaultMode`));
  for (const [index, item] of (source.items ?? []).entries()) {
    const path = `${at.path}.items[${index}]`;
    if ((item.key ?? '') === '') errors.push(requiredError(`${path}.key`));
    errors.push(...localPathFaults(item.path ?? '', `${path}.path`));
    errors.push(...modeFaults(item.mode, `${path}.mode`));
  }
  return errors;
}

function modeFaults(mode: number | undefined, path: string): FieldError[] {
  return mode !== undefined && (mode < 0 || mode > 0o777) ? [invalidError(path, mode, modeWords)] : [];
}

function localPathFaults(text: string, path: string): FieldError[] {
  if (text === '') return [requiredError(path)];
  const errors: FieldError[] = [];
  if (text.startsWith('/')) errors.push(invalidError(path, text, 'must be a relative path'));
  if (text.split('/').includes('..')) errors.push(invalidError(path, text, "must not contain '..'"));
  if (text.startsWith('..') && !text.startsWith('../') && text !== '..')
    errors.push(invalidError(path, text, "must not start with '..'"));
  return errors;
}

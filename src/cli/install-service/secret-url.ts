import { readFileSync } from 'node:fs';
import { usageError } from '../errors.ts';
import { type Settings, serverSettings } from '../settings.ts';

/** Settings that name a service whose address may hold a password. */
export type SecretUrlSettings = Settings<'databaseUrl' | 'databaseUrlFile' | 'natsUrl' | 'natsUrlFile'>;

/** The address of a service, given as it is or in a file; undefined when neither is. */
export function secretUrl(settings: Partial<SecretUrlSettings>, name: 'databaseUrl' | 'natsUrl'): string | undefined {
  const direct = settings[name];
  const file = settings[`${name}File`];
  if (file === undefined) return direct;
  const { flag, parse } = serverSettings[name];
  if (direct !== undefined) throw usageError(`${flag} and ${flag}-file say the same thing twice; leave one out`);
  const text = readSecretFile(file, `${flag}-file`);
  // Where it stands is said; what stands there is left out by the parser.
  return parse(text, { as: `${flag}-file ${file}`, cwd: '/' });
}

/** The text of a file that holds one secret. */
export function readSecretFile(file: string, option: string): string {
  try {
    const text = readFileSync(file, 'utf8').trim();
    if (text !== '') return text;
  } catch (cause) {
    throw usageError(`${option}: ${file} cannot be read: ${cause instanceof Error ? cause.message : ''}`);
  }
  throw usageError(`${option}: ${file} is empty`);
}

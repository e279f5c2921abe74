import { badRequest } from '../status.ts';

/** Throws 400 for a name that could not be part of the path under which it is stored. */
export function checkPathName(name: string): void {
  if (name === '') return;
  const faults = ['/', '%'].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`);
  const why = name === '.' || name === '..' ? [`may not be '${name}'`] : faults;
  if (why.length === 0) return;
  throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${why.join(';')}`);
}

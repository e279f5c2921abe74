/** Loads a package by its name. */
export type ImportPackage = (name: string) => Promise<unknown>;

/** As npm names packages, also with a scope and a path inside; nothing that leaves `node_modules`. */
const packageName = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*(?:\/[A-Za-z0-9._~-]+)*$/;

/** True for what can be the name of a package. */
export function isPackageName(name: string): boolean {
  return packageName.test(name);
}

/** Loads a package, or a module by its address, as Node finds it from here. */
export function importPackage(name: string): Promise<unknown> {
  return import(name);
}

/** The name under which a host claims its machine in the engine, and asks for work on it. */
export function claimOwnerOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `BareMetalHost ${namespace}/${name}`;
}

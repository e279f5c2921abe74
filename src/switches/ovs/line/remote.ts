/** Where a server of Open vSwitch listens. */
export type Remote =
  | { readonly kind: 'tcp' | 'ssl'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string };

/** Reads `tcp:HOST:PORT`, `ssl:HOST:PORT` or `unix:/PATH`; undefined when it is none of them. */
export function parseRemote(text: string): Remote | undefined {
  const [, path] = /^unix:(\/.+)$/s.exec(text) ?? [];
  if (path !== undefined) return { kind: 'unix', path };
  const [, kind, bracketed, plain, digits] =
    /^(tcp|ssl):(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9._-]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  if (host === undefined || port < 1 || port > 65535) return undefined;
  return { kind: kind === 'ssl' ? 'ssl' : 'tcp', host, port };
}

/** Writes a remote as it was read. */
export function formatRemote(remote: Remote): string {
  if (remote.kind === 'unix') return `unix:${remote.path}`;
  const host = remote.host.includes(':') ? `[${remote.host}]` : remote.host;
  return `${remote.kind}:${host}:${remote.port}`;
}

import { systemClock } from '../clock.ts';
import { type ConnectionSpec, resolveConnection } from './client.ts';
import { tlsConnectOptions } from './connection.ts';

/** Where an API server is and how its certificate is checked, for requests of others: nothing in it proves who we are. */
export interface ClusterAddress {
  readonly server: string;
  /** As node:tls takes them. */
  readonly tls: { readonly [option: string]: unknown };
}

/** Reads the address alone out of what a client would connect with. */
export async function clusterAddressOf(spec: ConnectionSpec): Promise<ClusterAddress> {
  const connection = await resolveConnection(spec, systemClock);
  const { ca, servername, rejectUnauthorized } = (await connection.credentials()).tls;
  return { server: connection.server, tls: tlsConnectOptions({ ca, servername, rejectUnauthorized }) };
}

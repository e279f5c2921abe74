import { createClient, type KubeClient, systemClock } from '../../../kube/index.ts';
import {
  type Authorizer,
  createJwtAuthorizer,
  createKubeAuthorizer,
  isRestError,
  type TokenIssuer,
} from '../../../rest/index.ts';
import { CliError, usageError } from '../../errors.ts';
import type { Settings } from '../../settings.ts';
import type { Closing } from '../closing.ts';

/** Who is let in: whoever a cluster knows, or whoever has a token of an issuer. */
export type AccessSettings = Settings<
  'kubeconfig' | 'jwtIssuer' | 'jwtAudience' | 'jwtJwksUrl' | 'jwtJwksFile' | 'jwtKeyFile'
>;

/** Who is let in, and the cluster that is asked where one is. */
export interface ServiceAccess {
  readonly authorizer: Authorizer;
  readonly client: KubeClient | undefined;
}

/** Opens what decides who is let in; undefined when nothing is named, and then nobody is. */
export async function openAccess(settings: AccessSettings, open: Closing): Promise<ServiceAccess | undefined> {
  const issuer = readIssuer(settings);
  if (settings.kubeconfig === undefined) {
    return issuer === undefined ? undefined : { authorizer: await jwtAuthorizer(issuer), client: undefined };
  }
  if (issuer !== undefined) throw usageError('--kubeconfig and --jwt-issuer: only one of them can say who is let in');
  const client = await createClient(connectionOf(settings.kubeconfig));
  open.add(() => client.close());
  return { authorizer: createKubeAuthorizer({ client, clock: systemClock }), client };
}

/** The cluster of a kubeconfig, or the one that this process runs in. */
export function connectionOf(kubeconfig: string): { kubeconfig: string } | { isInCluster: true } {
  return kubeconfig === 'in-cluster' ? { isInCluster: true } : { kubeconfig };
}

/** The same for a service that nobody could use otherwise. */
export async function requireAccess(settings: AccessSettings, open: Closing): Promise<ServiceAccess> {
  const access = await openAccess(settings, open);
  if (access !== undefined) return access;
  throw usageError(
    'nobody would be let in: name the issuer of tokens with --jwt-issuer and one of --jwt-jwks-url, --jwt-jwks-file and --jwt-key-file, or a cluster with --kubeconfig',
  );
}

function readIssuer(settings: AccessSettings): TokenIssuer | undefined {
  const { jwtIssuer: issuer, jwtAudience: audience, jwtJwksUrl, jwtJwksFile, jwtKeyFile } = settings;
  const keys = [
    ...(jwtJwksUrl === undefined ? [] : [{ jwksUrl: jwtJwksUrl }]),
    ...(jwtJwksFile === undefined ? [] : [{ jwksFile: jwtJwksFile }]),
    ...(jwtKeyFile === undefined ? [] : [{ sharedKeyFile: jwtKeyFile }]),
  ];
  const [first, second] = keys;
  if (issuer === undefined && first === undefined) return undefined;
  const names = '--jwt-jwks-url, --jwt-jwks-file and --jwt-key-file';
  if (issuer === undefined) throw usageError(`${names} go with --jwt-issuer, whose tokens are taken`);
  if (first === undefined || second !== undefined) throw usageError(`--jwt-issuer goes with one of ${names}`);
  return { issuer, audience, keys: first };
}

async function jwtAuthorizer(issuer: TokenIssuer): Promise<Authorizer> {
  try {
    return await createJwtAuthorizer({ issuers: [issuer], clock: systemClock });
  } catch (error) {
    if (isRestError(error)) throw new CliError('usage', error.message, { cause: error });
    throw error;
  }
}

/** Lets nobody in. */
export const nobody: Authorizer = {
  async authenticate() {
    return {
      outcome: 'unknown',
      reason: 'this process was not told whom to let in: see --jwt-issuer and --kubeconfig',
    };
  },
  async allow() {
    return { isAllowed: false, reason: 'nobody is let in' };
  },
};

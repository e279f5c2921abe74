import { CliError } from '../errors.ts';

/** Says why a server could not listen, and which option changes it; other errors come back as they are. */
export function explainListenError(
  error: unknown,
  { host, port, option = '--port' }: { host: string; port: number; option?: string },
): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'EADDRINUSE': {
      const text = `port ${port} on ${host} is in use by another process; stop it, or choose another port with ${option}`;
      return new CliError('port-in-use', text, { cause: error });
    }
    case 'EACCES': {
      const text = `this user may not listen on port ${port}; choose one above 1023 with ${option}`;
      return new CliError('failed', text, { cause: error });
    }
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND': {
      const text = `${host} is no address of this machine; choose another with --host`;
      return new CliError('failed', text, { cause: error });
    }
    case 'plaintextRefused': {
      const text = `tokens would pass ${host} in clear text: name a certificate with --tls-cert and --tls-key, or listen on a loopback address with --host`;
      return new CliError('usage', text, { cause: error });
    }
    default:
      return error;
  }
}

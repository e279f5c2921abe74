const meanings: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};

/** What an HTTP code of a webhook means, in the words of Kubernetes' client; a Status in the body speaks for itself. */
export function serverFault(code: number, body: string): string {
  const own = statusMessage(body);
  if (own !== undefined) return own;
  const text = body.trim() === '' ? 'unknown' : body.trim();
  const known = meanings[code];
  if (known !== undefined) return known;
  if (code === 403 || code === 406 || code === 415) return text;
  if (code >= 500) return `an error on the server (${JSON.stringify(text)}) has prevented the request from succeeding`;
  return `the server responded with the status code ${code} but did not return more information`;
}

function statusMessage(body: string): string | undefined {
  if (!body.includes('"Status"')) return undefined;
  try {
    const status = JSON.parse(body) as { kind?: string; message?: string; status?: string };
    return status.kind === 'Status' && status.status !== 'Success' ? (status.message ?? '') : undefined;
  } catch {
    return undefined; // some other text
  }
}

/** Why a connection failed, in the words of Go where there are any. */
export function transportFault(error: unknown, url: URL): string {
  const fault = error instanceof Error ? error : new Error(String(error));
  const code = (fault as NodeJS.ErrnoException).code ?? '';
  if (fault.name === 'TimeoutError' || fault.name === 'AbortError') return 'context deadline exceeded';
  const port = url.port === '' ? '443' : url.port;
  if (code === 'ECONNREFUSED') return `dial tcp ${url.hostname}:${port}: connect: connection refused`;
  if (code === 'ENOTFOUND') return `dial tcp: lookup ${url.hostname}: no such host`;
  if (unknownAuthority.has(code)) return `${badCertificate}: certificate signed by unknown authority`;
  if (code === 'CERT_HAS_EXPIRED') return `${badCertificate}: certificate has expired or is not yet valid`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `${badCertificate}: certificate is not valid for ${url.hostname}`;
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' ? 'EOF' : fault.message;
}

const badCertificate = 'tls: failed to verify certificate: x509';
const unknownAuthority: ReadonlySet<string> = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_GET_ISSUER_CERT',
  'CERT_SIGNATURE_FAILURE',
]);

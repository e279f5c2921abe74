import type { Clock } from '../../kube/index.ts';
import type { BmcAddress } from '../address.ts';
import type { HttpAnswer, HttpRequest } from '../http/exchange.ts';
import { HttpFailure } from '../http/http-failure.ts';
import { createTransport, type StreamedAnswer, type Transport } from '../http/transport.ts';
import type { TrustStore } from '../http/trust.ts';
import type { TlsTrust } from './gate.ts';
import type { Pace } from './pace.ts';
import type { GateSettings } from './settings.ts';

/** What the gates of a process share. */
export interface WireOptions {
  readonly address: BmcAddress;
  readonly trustStore: TrustStore;
  readonly clock: Clock;
  readonly settings: GateSettings;
  readonly pace: Pace;
}

/** The connections of one gate. A caller that trusts differently gets a connection that was judged by its own trust. */
export interface Wire {
  readonly requests: number;
  send(request: HttpRequest, trust: TlsTrust): Promise<HttpAnswer>;
  stream(request: HttpRequest, trust: TlsTrust): Promise<StreamedAnswer>;
  /** Ends all connections; the next request opens a new one. */
  close(): void;
  /** Ends all connections for good: nothing is sent any more, whoever still tries. */
  end(): void;
}

/** Headers of every request; compression is declined because it weakens ETags. */
export function wireHeaders(more: { readonly isIdentity: boolean; readonly accept?: string }): string[] {
  const headers = ['accept', more.accept ?? 'application/json', 'odata-version', '4.0'];
  if (more.isIdentity) headers.push('accept-encoding', 'identity');
  return headers;
}

/** Makes the connections of a gate. Nothing is connected yet. */
export function createWire(options: WireOptions): Wire {
  const { address, trustStore, clock, settings, pace } = options;
  const transports = new Map<string, Transport>();
  let lastTrust: TlsTrust | undefined;
  let last: Transport | undefined;
  let requests = 0;
  let isEnded = false;

  const transportFor = (trust: TlsTrust): Transport => {
    if (last !== undefined && trust === lastTrust) return last;
    const key = trustKey(trust);
    let transport = transports.get(key);
    if (transport === undefined) {
      transport = createTransport({ ...address, ...settings, trust, trustStore, clock });
      transports.set(key, transport);
    }
    lastTrust = trust;
    last = transport;
    return transport;
  };
  const note = (): void => {
    if (isEnded) throw new HttpFailure('cancelled', 'the gate is closed', { hasBegun: false });
    requests += 1;
    pace.note(clock.monotonic());
  };

  const close = (): void => {
    for (const transport of transports.values()) transport.close();
    transports.clear();
    last = undefined;
  };

  return {
    get requests() {
      return requests;
    },
    async send(request, trust) {
      note();
      return transportFor(trust).send(request);
    },
    async stream(request, trust) {
      note();
      return transportFor(trust).stream(request);
    },
    close,
    end() {
      isEnded = true;
      close();
    },
  };
}

function trustKey(trust: TlsTrust): string {
  const plain = trust.allowsHttp === true ? 'http ' : '';
  if (trust.kind === 'ca') return `${plain}ca ${trust.caPem}`;
  return trust.kind === 'fingerprint' ? `${plain}fingerprint ${trust.sha256}` : `${plain}${trust.kind}`;
}

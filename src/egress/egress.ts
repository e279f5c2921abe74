import { lookup as lookUp } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { buildConnector } from 'undici';
import { guarded, type HostRule, internal, parseHostRule } from './networks.ts';

/** What an operator allows. */
export interface EgressRules {
  /** `https` and `http` unless given. */
  readonly schemes?: readonly string[] | undefined;
  /** Names, `*.domain`, addresses and networks; any but guarded addresses where there are none. */
  readonly hosts?: readonly string[] | undefined;
}

/** What this process may be made to talk to: the one policy for images, catalogues and webhooks. */
export interface Egress {
  /** Why an address is refused, as far as its text tells. */
  whyNot(url: URL): string | undefined;
  /** The same, its host looked up: for what somebody else, such as a BMC, is told to fetch. */
  check(url: URL): Promise<string | undefined>;
  /**
   * Guards a connector. What a name stands for is looked up here and connected to as it was found, so that no second
   * answer of the name server counts; each redirect is a new connection, or one that was guarded before. The connector has
   * to be made with `lookup`.
   */
  guard(connect: buildConnector.connector): buildConnector.connector;
  readonly lookup: LookupFunction;
  /**
   * Whether what a source answers may be told to everybody who may name one: not of internal hosts, unless an operator has
   * named them.
   */
  mayDescribe(url: URL): Promise<boolean>;
}

/** A connection that the policy does not allow. The message says nothing of what a name stands for. */
export class EgressRefused extends Error {
  override readonly name = 'EgressRefused';
  readonly code = 'EGRESS_REFUSED';
}

/** Names that stood for internal addresses once; a name server may say something else the next time. */
const mostInternalNames = 10_000;

const refusedHost = 'its host is none that may be connected to (--egress-hosts)';

/** Makes a policy. Throws a TypeError for rules that cannot be read. */
export function createEgress({ schemes = ['https', 'http'], hosts = [] }: EgressRules = {}): Egress {
  const rules = hosts.map((text) => {
    const rule = parseHostRule(text);
    if (rule !== undefined) return rule;
    throw new TypeError(`${JSON.stringify(text)} is neither a name, *.domain, an address nor a network`);
  });
  const internalNames = new Set<string>();
  const isNamed = (host: string): boolean => rules.some((rule) => namesHost(rule, host));
  const mayConnect = (host: string, address: string): boolean => {
    if (rules.some((rule) => rule.kind === 'network' && rule.isGuarded && rule.addresses.has(address))) return true;
    if (guarded.has(address)) return false;
    if (rules.length === 0 || isNamed(host)) return true;
    return rules.some((rule) => rule.kind === 'network' && rule.addresses.has(address));
  };
  const whyNotHost = (host: string): string | undefined => {
    if (isIP(host) !== 0) return mayConnect(host, host) ? undefined : refusedHost;
    const mayBe = rules.length === 0 || isNamed(host) || rules.some(({ kind }) => kind === 'network');
    return mayBe ? undefined : refusedHost;
  };
  const whyNotScheme = (protocol: string): string | undefined =>
    schemes.includes(protocol.replace(/:$/, '')) ? undefined : 'its scheme is none that may be used (--egress-schemes)';
  const whyNot = ({ protocol, hostname }: URL): string | undefined =>
    whyNotScheme(protocol) ?? whyNotHost(bare(hostname));

  const lookup: LookupFunction = (hostname, options, callback) => {
    lookUp(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, '');
      const open = found.filter(({ address }) => mayConnect(bare(hostname), address));
      if (open.some(({ address }) => internal.has(address) || guarded.has(address))) {
        if (internalNames.size >= mostInternalNames) internalNames.clear();
        internalNames.add(bare(hostname));
      }
      const [first] = open;
      if (first === undefined) return callback(new EgressRefused(refusedHost), '');
      if (options.all === true) callback(null, open);
      else callback(null, first.address, first.family);
    });
  };

  return {
    whyNot,
    lookup,
    async check(url) {
      const why = whyNot(url);
      if (why !== undefined || isIP(bare(url.hostname)) !== 0) return why;
      const found = await addressesOf(bare(url.hostname));
      return found.some((address) => !mayConnect(bare(url.hostname), address)) ? refusedHost : undefined;
    },
    guard: (connect) => (options, callback) => {
      const why = whyNotScheme(options.protocol) ?? whyNotHost(bare(options.hostname));
      if (why === undefined) connect(options, callback);
      else callback(new EgressRefused(why), null);
    },
    async mayDescribe({ hostname }) {
      const host = bare(hostname);
      const isOpen = (address: string): boolean =>
        rules.some((rule) => rule.kind === 'network' && rule.addresses.has(address)) ||
        !(internal.has(address) || guarded.has(address));
      if (isNamed(host)) return true;
      if (isIP(host) !== 0) return isOpen(host);
      const found = await addressesOf(host);
      return found.length > 0 && found.every(isOpen) && !internalNames.has(host);
    },
  };
}

function bare(hostname: string): string {
  return hostname.replaceAll(/[[\]]/g, '').replace(/\.$/, '').toLowerCase();
}

function namesHost(rule: HostRule, host: string): boolean {
  if (rule.kind === 'name') return host === rule.name;
  if (rule.kind === 'domain') return host.endsWith(rule.suffix);
  return isIP(host) !== 0 && rule.addresses.has(host);
}

function addressesOf(host: string): Promise<readonly string[]> {
  return new Promise((resolve) => {
    lookUp(host, { all: true }, (error, found) => resolve(error === null ? found.map(({ address }) => address) : []));
  });
}

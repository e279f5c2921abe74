import { BlockList, isIP, isIPv4 } from 'node:net';

/** One rule of an access list; the first that matches decides. */
export interface AclRule {
  readonly type: 'ipv4' | 'ipv6';
  readonly action: 'allow' | 'deny';
  /** All protocols unless given. */
  readonly protocol?: 'TCP' | 'UDP' | 'ICMP' | 'ALL';
  /** Address or network; any unless given. */
  readonly src?: string;
  readonly des?: string;
  /** `22`, `22-30` or a list of them; any unless given. */
  readonly srcPortRange?: string;
  readonly desPortRange?: string;
}

/** An IP packet as far as access lists look at it. */
export interface Packet {
  readonly src: string;
  readonly des: string;
  readonly protocol: 'TCP' | 'UDP' | 'ICMP';
  readonly srcPort?: number;
  readonly desPort?: number;
}

/** What an access list says of a packet. */
export interface AclVerdict {
  readonly isAllowed: boolean;
  readonly because: string;
}

/**
 * Judges a packet. An empty list lets all pass; where there are rules, what none of them matches is dropped, as
 * switches do.
 */
export function judgePacket(rules: readonly AclRule[], packet: Packet): AclVerdict {
  if (rules.length === 0) return { isAllowed: true, because: 'no access list' };
  const index = rules.findIndex((rule) => isMatch(rule, packet));
  const rule = rules[index];
  if (rule === undefined) return { isAllowed: false, because: 'no rule of the access list matches' };
  return { isAllowed: rule.action === 'allow', because: `rule ${index + 1} of the access list: ${rule.action}` };
}

/** What is wrong with a rule, in words; empty when nothing is. */
export function checkRule(rule: AclRule): readonly string[] {
  const problems: string[] = [];
  for (const member of ['src', 'des'] as const) {
    const network = rule[member];
    if (network !== undefined && !isNetwork(network, rule.type)) {
      problems.push(`${member} "${network}" is not an address or network of ${rule.type}`);
    }
  }
  for (const member of ['srcPortRange', 'desPortRange'] as const) {
    const range = rule[member];
    if (range === undefined) continue;
    if (parsePorts(range) === undefined) problems.push(`${member} "${range}" is not a port or a range of ports`);
    if (rule.protocol !== 'TCP' && rule.protocol !== 'UDP') problems.push(`${member} needs protocol TCP or UDP`);
  }
  return problems;
}

function isMatch(rule: AclRule, packet: Packet): boolean {
  const family = isIPv4(packet.src) ? 'ipv4' : 'ipv6';
  return (
    rule.type === family &&
    (rule.protocol === undefined || rule.protocol === 'ALL' || rule.protocol === packet.protocol) &&
    isInNetwork(rule.src, packet.src) &&
    isInNetwork(rule.des, packet.des) &&
    isInPorts(rule.srcPortRange, packet.srcPort) &&
    isInPorts(rule.desPortRange, packet.desPort)
  );
}

function isInNetwork(network: string | undefined, address: string): boolean {
  if (network === undefined) return true;
  const family = isIPv4(address) ? 'ipv4' : 'ipv6';
  const [base = '', prefix] = network.split('/');
  const list = new BlockList();
  if (prefix === undefined) list.addAddress(base, family);
  else list.addSubnet(base, Number(prefix), family);
  return list.check(address, family);
}

function isInPorts(range: string | undefined, port: number | undefined): boolean {
  if (range === undefined) return true;
  return port !== undefined && (parsePorts(range) ?? []).some(({ from, to }) => port >= from && port <= to);
}

function isNetwork(text: string, type: AclRule['type']): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = type === 'ipv4' ? 4 : 6;
  if (rest.length > 0 || isIP(address) !== family) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
}

function parsePorts(text: string): readonly { readonly from: number; readonly to: number }[] | undefined {
  const spans = text.split(',').map((part) => {
    const match = /^\s*(\d{1,5})(?:-(\d{1,5}))?\s*$/.exec(part);
    return { from: Number(match?.[1]), to: Number(match?.[2] ?? match?.[1]) };
  });
  return spans.every(({ from, to }) => from <= to && to <= 65_535) ? spans : undefined;
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatNetworkPlan } from './format-plan.ts';

test('a plan is a diff of each port, and adds up', () => {
  const port = {
    port: 'infra/p1',
    switch: 'leaf',
    socket: 'Ethernet1',
    host: 'tenant/h1',
    state: 'Active',
    outcome: 'change',
    linked: 'infra/pxe',
    wouldLink: 'tenant/net',
    differences: [
      { aspect: 'untaggedVlan', seen: '100', wanted: '10' },
      { aspect: 'acl', seen: 'none', wanted: 'deny ipv4 tcp from any to any port 22; allow ipv4 all from any to any' },
    ],
    isClearedFirst: true,
    lastRead: '2026-01-01T00:00:00Z',
    reason: undefined,
  } as const;
  const settled = { ...port, port: 'infra/p2', outcome: 'settled', differences: [] } as const;
  const plan = {
    madeAt: '2026-01-01T12:00:00Z',
    hosts: [
      { host: 'tenant/h1', phase: 'deployed', verdict: 'waiting', message: 'Waiting for port\u001b[2J infra/p1.' },
    ],
    ports: [port, settled],
  } as const;
  assert.equal(
    formatNetworkPlan(plan, { isAll: false }),
    `HOST        NEEDS      STATE     MESSAGE
tenant/h1   deployed   waiting   Waiting for port [2J infra/p1.

SwitchPort infra/p1 (Ethernet1 of leaf, host tenant/h1): change
- configuration infra/pxe
+ configuration tenant/net
  what is there is cleared first
- untagged VLAN 100
+ untagged VLAN 10
+ access list deny ipv4 tcp from any to any port 22
+ access list allow ipv4 all from any to any
  the switch was last read at 2026-01-01T00:00:00Z

2 ports at 2026-01-01T12:00:00Z: 1 change, 1 settled. 1 host waits for ports.
`,
  );
  assert.match(formatNetworkPlan(plan, { isAll: true }), /SwitchPort infra\/p2 .*: settled/);
});

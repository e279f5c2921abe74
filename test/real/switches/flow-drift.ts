import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  type ControllerRig,
  eventsOf,
  link,
  openApi,
  putConfiguration,
  putNamespace,
  startControllers,
  untilState,
} from '../../../src/network/testing/rig.ts';
import { embeddedConnection } from '../../e2e/embedded-connection.ts';
import { infra } from '../../e2e/ports-plane.ts';
import { until } from '../ironic/until.ts';
import { describeSwitch, type SwitchToLiveOn } from './host-port-life.ts';
import type { RealOvs } from './real-ovs.ts';

const hourMs = 3_600_000;
const key = `${infra}/socket-1`;
const ssh = { packet: { source: '10.9.0.1', destination: '10.9.0.2', protocol: 'tcp', destinationPort: 22 } } as const;
const allowAll = { type: 'ipv4', action: 'allow', protocol: 'ALL' } as const;

/** Changes flows of an access list by hand while ports are read every few hours only; the second host is on VLAN 10. */
export function describeFlowDrift(ovs: () => RealOvs, open: () => SwitchToLiveOn): void {
  describe('flows that somebody changes between two readings', () => {
    const embedded = embeddedConnection();
    let api: Awaited<ReturnType<typeof openApi>>;
    let rig: ControllerRig;

    before(async () => {
      api = await openApi(await embedded.connect());
      await putNamespace(api, infra);
      const [one = '', other = ''] = ovs().ports;
      await ovs().vsctl('set', 'port', other, 'tag=10', 'vlan_mode=access');
      const { providers, ...described } = open();
      await describeSwitch(api, { ...described, sockets: [one] });
      for (const [name, desPortRange] of Object.entries({ first: '25', blue: '22' })) {
        const deny = { type: 'ipv4', action: 'deny', protocol: 'TCP', desPortRange } as const;
        await putConfiguration(api, `${infra}/${name}`, { untaggedVLAN: 10, acl: [deny, allowAll] });
      }
      const settings = { callMs: 120_000, driftMs: 12 * hourMs, resyncMs: 12 * hourMs };
      rig = await startControllers(api, { providers, settings });
      await untilState(api, key, 'Idle');
      for (const name of ['first', 'blue']) {
        await link(api, key, `${infra}/${name}`);
        await untilState(api, key, 'Active', name);
      }
    });
    after(async () => {
      await rig?.stop();
      await api?.close();
      await embedded.stop();
    });

    /** Waits for as many corrections as changes were made: changes of the controllers themselves are none. */
    async function untilCorrected(count: number): Promise<void> {
      const drifts = async () => (await eventsOf(api, key)).filter(({ reason }) => reason === 'ConfigurationDrifted');
      await until({
        what: 'the correction of the flows',
        timeoutMs: 120_000,
        look: async () => (await drifts()).length >= count || undefined,
      });
      await untilState(api, key, 'Active', 'blue');
      await ovs().checkFrame(0, ssh, {});
      assert.equal((await drifts()).length, count);
    }

    it('have let through what the list denies, and are set again when they were deleted', async () => {
      await ovs().checkFrame(0, ssh, {});
      await ovs().ofctl('del-flows', ovs().bridge, 'in_port=1');
      await untilCorrected(1);
    });

    it('are set again when another flow took the place of one', async () => {
      await ovs().ofctl('add-flow', ovs().bridge, 'priority=45000,tcp,in_port=1,tp_dst=22,actions=NORMAL');
      await untilCorrected(2);
    });

    it('are set again when their actions were changed', async () => {
      await ovs().ofctl('mod-flows', ovs().bridge, 'in_port=1,actions=NORMAL');
      await untilCorrected(3);
    });

    it('are set again when the switch forgot them with the line', async () => {
      await ovs().restartSwitch();
      await until({
        what: 'the access list on the switch that restarted',
        timeoutMs: 120_000,
        look: async () =>
          (await ovs().ofctl('dump-flows', ovs().bridge)).includes('priority=45000,tcp') ? true : undefined,
      });
      await untilState(api, key, 'Active', 'blue');
      await ovs().checkFrame(0, ssh, {});
    });
  });
}

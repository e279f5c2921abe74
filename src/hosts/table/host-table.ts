import { defineStateTable } from '../../kube/index.ts';

const settled = ['inspecting', 'preparing', 'available', 'externally provisioned'] as const;
const managed = [...settled, 'provisioning', 'provisioned', 'deprovisioning', 'powering off before delete'] as const;

/** The life of a BareMetalHost. `none` is the empty state that a new host has; `gone` is never written. */
export const hostTable = defineStateTable({
  name: 'BareMetalHost',
  initial: 'none',
  states: [
    'none',
    'unmanaged',
    'importing',
    'registering',
    'inspecting',
    'preparing',
    'available',
    'provisioning',
    'provisioned',
    'externally provisioned',
    'deprovisioning',
    'powering off before delete',
    'deleting',
    'gone',
  ],
  final: ['gone'],
  facts: {
    /**
     * Whether the host is being deleted: no; yes; while it is detached; while it is detached and asked to wait for its
     * owner; though its BMC could not be reached many times; before anything was written to it, since it was in use.
     */
    leaving: ['no', 'yes', 'detached', 'delayed', 'unreachable', 'refused'],
    /** Whether anything is said about its BMC: nothing; nothing, but it was made of a machine that came by itself; something. */
    bmc: ['none', 'discovered', 'given'],
    /** How the work of the state goes; `hopeless` failed too often, `lost` has nobody any more who could do it. */
    work: ['going', 'done', 'failed', 'hopeless', 'lost'],
    /** What its owner wants next. */
    wish: ['stay', 'leave alone', 'inspect', 'prepare', 'provision', 'deprovision', 'take over'],
  },
  rows: [
    { from: ['none', 'unmanaged', 'importing'], when: { leaving: 'no', bmc: 'given' }, to: 'registering' },
    { from: 'none', when: { leaving: 'no', bmc: ['none', 'discovered'] }, to: 'unmanaged', do: ['tell-discovered'] },

    { from: ['unmanaged', 'registering'], when: { leaving: 'no', bmc: 'discovered' }, to: 'importing' },
    {
      from: 'importing',
      when: { leaving: 'no', bmc: 'discovered', work: 'done', wish: 'leave alone' },
      to: 'externally provisioned',
      do: ['forget-failures'],
    },
    {
      from: 'importing',
      when: { leaving: 'no', bmc: 'discovered', work: 'done', wish: 'prepare' },
      to: 'preparing',
      do: ['forget-failures'],
    },
    // What said that it came by itself was taken away before its provisioner had it.
    {
      from: 'importing',
      when: { leaving: 'no', bmc: 'none' },
      to: 'unmanaged',
      do: ['forget-failures', 'tell-discovered'],
      isAbort: true,
    },

    {
      from: 'registering',
      when: { leaving: 'no', bmc: 'given', work: 'done', wish: 'leave alone' },
      to: 'externally provisioned',
      do: ['forget-failures'],
    },
    {
      from: 'registering',
      when: { leaving: 'no', bmc: 'given', work: 'done', wish: 'prepare' },
      to: 'preparing',
      do: ['forget-failures'],
    },
    {
      from: 'registering',
      when: { leaving: 'no', bmc: 'given', work: 'done', wish: 'inspect' },
      to: 'inspecting',
      do: ['forget-failures'],
    },

    { from: 'inspecting', when: { leaving: 'no', work: 'done' }, to: 'preparing', do: ['forget-failures'] },
    { from: 'preparing', when: { leaving: 'no', work: 'done' }, to: 'available', do: ['forget-failures'] },

    {
      from: 'available',
      when: { leaving: 'no', wish: 'leave alone' },
      to: 'externally provisioned',
      do: ['forget-settings'],
    },
    { from: 'available', when: { leaving: 'no', wish: 'inspect' }, to: 'inspecting' },
    { from: 'available', when: { leaving: 'no', wish: 'prepare' }, to: 'preparing' },
    { from: 'available', when: { leaving: 'no', wish: 'provision' }, to: 'provisioning', do: ['remember-attempt'] },

    {
      from: 'provisioning',
      when: { leaving: 'no', work: 'failed' },
      to: 'deprovisioning',
      do: ['count-attempt'],
      isAbort: true,
    },
    {
      from: 'provisioning',
      when: { leaving: 'no', work: 'going', wish: 'deprovision' },
      to: 'deprovisioning',
      isAbort: true,
    },
    {
      from: 'provisioning',
      when: { leaving: 'no', work: 'done' },
      to: 'provisioned',
      do: ['forget-failures', 'forget-attempts'],
    },
    { from: 'provisioned', when: { leaving: 'no', wish: 'deprovision' }, to: 'deprovisioning' },
    {
      from: 'externally provisioned',
      when: { leaving: 'no', wish: 'take over' },
      to: 'provisioned',
      do: ['take-over-deployment'],
    },

    { from: 'deprovisioning', when: { leaving: 'no', work: 'done' }, to: 'available', do: ['forget-failures'] },
    // It runs what was never written through it: whether that is what is wanted now is for provisioning to see.
    {
      from: 'deprovisioning',
      when: { leaving: 'no', work: 'hopeless' },
      to: 'provisioning',
      do: ['remember-attempt', 'forget-failures'],
      isAbort: true,
    },
    {
      from: 'deprovisioning',
      when: { leaving: 'yes', work: 'done' },
      to: 'powering off before delete',
      do: ['forget-failures'],
    },
    {
      from: 'deprovisioning',
      when: { leaving: 'yes', work: 'hopeless' },
      to: 'powering off before delete',
      do: ['count-without-deprovisioning', 'forget-failures'],
      isAbort: true,
    },
    {
      from: 'deprovisioning',
      when: { leaving: 'yes', work: 'lost' },
      to: 'deleting',
      do: ['count-without-deprovisioning'],
      isAbort: true,
    },
    {
      from: 'powering off before delete',
      when: { leaving: 'yes', work: 'done' },
      to: 'deleting',
      do: ['forget-failures', 'tell-powered-off'],
    },
    {
      from: 'powering off before delete',
      when: { leaving: 'yes', work: ['hopeless', 'lost'] },
      to: 'deleting',
      do: ['count-without-powering-off'],
      isAbort: true,
    },
    { from: 'deleting', when: { leaving: ['yes', 'unreachable'], work: 'done' }, to: 'gone' },
    { from: 'deleting', when: { leaving: 'detached', work: 'done' }, to: 'gone', isAbort: true },

    {
      from: ['none', 'unmanaged', 'importing', 'registering'],
      when: { leaving: ['yes', 'unreachable', 'detached'] },
      to: 'deleting',
      isAbort: true,
    },
    { from: settled, when: { leaving: ['yes', 'unreachable'] }, to: 'powering off before delete', isAbort: true },
    { from: 'provisioning', when: { leaving: 'refused' }, to: 'powering off before delete', isAbort: true },
    {
      from: ['provisioning', 'provisioned'],
      when: { leaving: ['yes', 'unreachable'] },
      to: 'deprovisioning',
      isAbort: true,
    },
    {
      from: ['deprovisioning', 'powering off before delete'],
      when: { leaving: 'unreachable' },
      to: 'deleting',
      isAbort: true,
    },
    { from: managed, when: { leaving: 'detached' }, to: 'deleting', isAbort: true },
  ],
});

/** A state of that table. */
export type HostState = (typeof hostTable.states)[number];

/** What a row asks to be done when it is taken. */
export type HostAction = NonNullable<(typeof hostTable.rows)[number]['do']>[number];

/** States in which somebody uses the host: only there is it serviced. */
export const inUseStates: readonly (HostState | undefined)[] = ['provisioned', 'externally provisioned'];

/** States that only so many hosts may be in at once, and what is done to a host in each of them. */
export const limitedWork: Readonly<Partial<Record<HostState, 'inspect' | 'provision' | 'deprovision'>>> = {
  inspecting: 'inspect',
  provisioning: 'provision',
  deprovisioning: 'deprovision',
};

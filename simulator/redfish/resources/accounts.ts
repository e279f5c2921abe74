import type { Machine } from '../../machine/machine.ts';
import type { JsonObject, RedfishAnswer, RedfishRequest, Route } from '../route.ts';
import { confirm, refuse, refuseMissing } from './errors.ts';
import { root } from './paths.ts';
import { collection, head, healthy, link, show } from './render.ts';
import { readOnlyMember, writeMembers } from './written-members.ts';

const service = `${root}/AccountService`;
const leastPasswordLength = 8;
const mostPasswordLength = 40;

/** What the roles that every service has may do. */
const roles: Readonly<Record<string, readonly string[]>> = {
  Administrator: ['Login', 'ConfigureManager', 'ConfigureUsers', 'ConfigureSelf', 'ConfigureComponents'],
  Operator: ['Login', 'ConfigureSelf', 'ConfigureComponents'],
  ReadOnly: ['Login', 'ConfigureSelf'],
};

/** AccountService, the administrator's account, and roles. */
export const accountRoutes: readonly Route[] = [
  {
    pattern: service,
    get: (request) => show(request, 'AccountService', renderService(request.machine)),
    patch: changeService,
  },
  {
    pattern: `${service}/Accounts`,
    get: ({ machine, path }) => collection({ path, of: 'ManagerAccount' }, [`${path}/${accountId(machine)}`]),
  },
  { pattern: `${service}/Accounts/:account`, get: showAccount, patch: changeAccount },
  {
    pattern: `${service}/Roles`,
    get: ({ path }) =>
      collection(
        { path, of: 'Role' },
        Object.keys(roles).map((role) => `${path}/${role}`),
      ),
  },
  { pattern: `${service}/Roles/:role`, get: showRole },
];

function accountId({ personality }: Machine): string {
  return personality.ids.account ?? '1';
}

function renderService(machine: Machine): JsonObject {
  const { limits } = machine.personality;
  const lockoutSeconds = Math.round(limits.lockoutMs / 1000);
  return {
    ...head({ path: service, schema: 'AccountService.v1_10_0', id: 'AccountService', name: 'Account Service' }),
    ServiceEnabled: true,
    AuthFailureLoggingThreshold: limits.lockoutThreshold,
    AccountLockoutThreshold: limits.lockoutThreshold,
    AccountLockoutDuration: lockoutSeconds,
    AccountLockoutCounterResetAfter: lockoutSeconds,
    MinPasswordLength: leastPasswordLength,
    MaxPasswordLength: mostPasswordLength,
    Accounts: link(`${service}/Accounts`),
    Roles: link(`${service}/Roles`),
    Status: healthy(),
  };
}

/** The limits belong to the vendor and stay as they are. */
function changeService({ body }: RedfishRequest): RedfishAnswer {
  const fixed = ['AccountLockoutThreshold', 'AccountLockoutDuration', 'AccountLockoutCounterResetAfter'];
  const complaints = writeMembers(
    body,
    Object.fromEntries(fixed.map((member) => [member, () => readOnlyMember(member)])),
  );
  return complaints.length > 0 ? refuse(400, complaints) : confirm();
}

function showAccount(request: RedfishRequest): RedfishAnswer {
  const { machine, path, params } = request;
  const id = accountId(machine);
  if (params.account !== id) return refuseMissing(path);
  return show(request, 'ManagerAccount', {
    ...head({ path, schema: 'ManagerAccount.v1_8_0', id, name: 'User Account' }),
    Description: 'User account',
    UserName: machine.accounts.username,
    Password: null,
    RoleId: 'Administrator',
    Enabled: true,
    Locked: machine.accounts.isLocked,
    AccountTypes: ['Redfish'],
    Links: { Role: link(`${service}/Roles/Administrator`) },
  });
}

function changeAccount({ machine, path, params, body }: RedfishRequest): RedfishAnswer {
  if (params.account !== accountId(machine)) return refuseMissing(path);
  const complaints = writeMembers(body, {
    Password: (value) => {
      const isFit =
        typeof value === 'string' && value.length >= leastPasswordLength && value.length <= mostPasswordLength;
      const isChanged = isFit && machine.accounts.change(machine.accounts.username, { password: value });
      return isChanged
        ? undefined
        : { messageId: 'PropertyValueFormatError', args: ['******', 'Password'], related: ['#/Password'] };
    },
    UserName: () => readOnlyMember('UserName'),
    RoleId: () => readOnlyMember('RoleId'),
    Enabled: () => readOnlyMember('Enabled'),
    Locked: () => readOnlyMember('Locked'),
  });
  return complaints.length > 0 ? refuse(400, complaints) : confirm();
}

function showRole(request: RedfishRequest): RedfishAnswer {
  const { path } = request;
  const role = String(request.params.role);
  const privileges = Object.hasOwn(roles, role) ? roles[role] : undefined;
  if (privileges === undefined) return refuseMissing(path);
  return show(request, 'Role', {
    ...head({ path, schema: 'Role.v1_3_1', id: role, name: `${role} Role` }),
    RoleId: role,
    IsPredefined: true,
    AssignedPrivileges: [...privileges],
  });
}

import type { JsonObject, RedfishAnswer, RedfishRequest, Route } from '../route.ts';
import { confirm, refuse } from './errors.ts';
import { ownRoutes } from './own-routes.ts';
import { root } from './paths.ts';
import { head, show } from './render.ts';
import { say, writeMembers, wrongType } from './written-members.ts';

const pattern = `${root}/Systems/:system/SecureBoot`;
const resetKeysTypes = ['ResetAllKeysToDefault', 'DeleteAllKeys', 'DeletePK'];

/** SecureBoot of the system. */
export const secureBootRoutes: readonly Route[] = ownRoutes([
  { pattern, get: (request) => show(request, 'SecureBoot', renderSecureBoot(request)), patch: changeSecureBoot },
  { pattern: `${pattern}/Actions/SecureBoot.ResetKeys`, post: resetKeys },
]);

function renderSecureBoot({ machine, path }: RedfishRequest): JsonObject {
  const isEnabled = machine.notes.get('SecureBootEnable') === true;
  return {
    ...head({ path, schema: 'SecureBoot.v1_1_0', id: 'SecureBoot', name: 'UEFI Secure Boot' }),
    SecureBootEnable: isEnabled,
    SecureBootCurrentBoot: isEnabled && machine.boot.mode === 'UEFI' ? 'Enabled' : 'Disabled',
    SecureBootMode: machine.notes.get('SecureBootMode') ?? 'UserMode',
    Actions: {
      '#SecureBoot.ResetKeys': {
        target: `${path}/Actions/SecureBoot.ResetKeys`,
        'ResetKeysType@Redfish.AllowableValues': [...resetKeysTypes],
      },
    },
  };
}

function changeSecureBoot({ machine, body }: RedfishRequest): RedfishAnswer {
  const complaints = writeMembers(body, {
    SecureBootEnable: (value) => {
      if (typeof value !== 'boolean') return wrongType('SecureBootEnable', value);
      machine.notes.set('SecureBootEnable', value);
      return undefined;
    },
  });
  return complaints.length > 0 ? refuse(400, complaints) : confirm();
}

function resetKeys({ machine, body }: RedfishRequest): RedfishAnswer {
  const type = say(body.ResetKeysType);
  if (!resetKeysTypes.includes(type)) {
    return refuse(400, {
      messageId: 'ActionParameterValueNotInList',
      args: [type, 'ResetKeysType', 'SecureBoot.ResetKeys'],
    });
  }
  // Without a platform key the firmware is in set-up mode.
  machine.notes.set('SecureBootMode', type === 'ResetAllKeysToDefault' ? 'UserMode' : 'SetupMode');
  return { status: 204 };
}

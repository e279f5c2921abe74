import type { JsonObject } from '../json.ts';
import { toBmcPath } from './path.ts';
import { isJsonObject, linkIn, memberIn, objectIn, objectsIn, textIn, textsIn } from './read.ts';

/** An action that a resource offers. */
export interface Action {
  /** Where it is posted to. */
  readonly target: string;
  /** What describes its parameters, when that is a resource of its own. */
  readonly actionInfo: string | undefined;
  readonly body: JsonObject;
}

/** The action of this name (`ComputerSystem.Reset`), also where a vendor keeps it under Oem. */
export function actionIn(body: JsonObject, name: string): Action | undefined {
  const actions = objectIn(body, 'Actions');
  for (const group of [actions, objectIn(actions, 'Oem')]) {
    const action = memberIn(group, `#${name}`);
    const target = isJsonObject(action) ? toBmcPath(memberIn(action, 'target')) : undefined;
    if (isJsonObject(action) && target !== undefined) {
      return { target, actionInfo: linkIn(action, '@Redfish.ActionInfo'), body: action };
    }
  }
  return undefined;
}

/** The values that a member may take, as said beside it; undefined when nothing is said. */
export function allowableIn(body: JsonObject, member: string): readonly string[] | undefined {
  const values = textsIn(body, `${member}@Redfish.AllowableValues`);
  return values.length === 0 ? undefined : values;
}

/** A parameter of an action as its ActionInfo says. */
export interface ActionParameter {
  readonly name: string;
  readonly isRequired: boolean;
  readonly allowable: readonly string[] | undefined;
}

/** The parameters in the body of an ActionInfo. */
export function parametersIn(actionInfo: JsonObject): readonly ActionParameter[] {
  return objectsIn(actionInfo, 'Parameters').flatMap((parameter) => {
    const name = textIn(parameter, 'Name');
    const values = textsIn(parameter, 'AllowableValues');
    if (name === undefined) return [];
    const isRequired = memberIn(parameter, 'Required') === true;
    return [{ name, isRequired, allowable: values.length === 0 ? undefined : values }];
  });
}

/** One message of a registry: its text with `%1` for arguments, and what to do about it. */
export interface MessageTemplate {
  readonly message: string;
  readonly severity: 'OK' | 'Warning' | 'Critical';
  readonly resolution: string;
  readonly paramTypes?: readonly ('string' | 'number')[];
}

/** Registry prefix and version that message ids start with. */
export const baseRegistry = 'Base.1.8';

const none = 'None.';
const one = ['string'] as const;
const two = ['string', 'string'] as const;
const three = ['string', 'string', 'string'] as const;

/** The part of the Base message registry that the simulator speaks. */
export const baseMessages = {
  Success: { message: 'Successfully Completed Request', severity: 'OK', resolution: none },
  Created: { message: 'The resource has been created successfully.', severity: 'OK', resolution: none },
  GeneralError: {
    message: 'The request failed. The extended information says why.',
    severity: 'Critical',
    resolution: 'Follow the resolutions in the extended information.',
  },
  MalformedJSON: {
    message: 'The body of the request is not a JSON object that the service can read.',
    severity: 'Critical',
    resolution: 'Send a well-formed JSON object.',
  },
  EmptyJSON: {
    message: 'The request body is empty where a JSON object is needed.',
    severity: 'Warning',
    resolution: 'Add members to the body and send it again.',
  },
  ResourceMissingAtURI: {
    message: 'The resource at the URI %1 was not found.',
    severity: 'Critical',
    resolution: 'Provide the URI of a resource that exists.',
    paramTypes: one,
  },
  ResourceNotFound: {
    message: "The requested resource of type %1 named '%2' was not found.",
    severity: 'Critical',
    resolution: 'Provide a valid resource identifier and send the request again.',
    paramTypes: two,
  },
  OperationNotAllowed: {
    message: 'The HTTP method is not allowed on this resource.',
    severity: 'Critical',
    resolution: 'Use one of the methods in the Allow header.',
  },
  ActionNotSupported: {
    message: 'The action %1 is not supported by the resource.',
    severity: 'Critical',
    resolution: 'Use an action that the resource lists.',
    paramTypes: one,
  },
  ActionParameterMissing: {
    message: 'The action %1 requires the parameter %2 to be present in the request body.',
    severity: 'Critical',
    resolution: 'Supply the action with the required parameter.',
    paramTypes: two,
  },
  ActionParameterUnknown: {
    message: 'The action %1 was submitted with the invalid parameter %2.',
    severity: 'Warning',
    resolution: 'Remove the parameter and send the request again.',
    paramTypes: two,
  },
  ActionParameterNotSupported: {
    message: 'The parameter %1 for the action %2 is not supported on the target resource.',
    severity: 'Warning',
    resolution: 'Remove the parameter and send the request again.',
    paramTypes: two,
  },
  ActionParameterValueNotInList: {
    message: "The value '%1' for the parameter %2 in the action %3 is not in the list of acceptable values.",
    severity: 'Warning',
    resolution: 'Choose one of the allowable values.',
    paramTypes: three,
  },
  ActionParameterValueFormatError: {
    message: "The value '%1' for the parameter %2 in the action %3 is of a different format than it can accept.",
    severity: 'Warning',
    resolution: 'Correct the value and send the request again.',
    paramTypes: three,
  },
  PropertyMissing: {
    message: 'The property %1 is a required property and must be included in the request.',
    severity: 'Warning',
    resolution: 'Include the property with a valid value.',
    paramTypes: one,
  },
  PropertyUnknown: {
    message: 'The property %1 is not in the list of valid properties for the resource.',
    severity: 'Warning',
    resolution: 'Remove the property and send the request again.',
    paramTypes: one,
  },
  PropertyNotWritable: {
    message: 'The property %1 is a read only property and cannot be assigned a value.',
    severity: 'Warning',
    resolution: 'Remove the property and send the request again.',
    paramTypes: one,
  },
  PropertyValueTypeError: {
    message: "The value '%1' for the property %2 is of a different type than the property can accept.",
    severity: 'Warning',
    resolution: 'Correct the value and send the request again.',
    paramTypes: two,
  },
  PropertyValueFormatError: {
    message: "The value '%1' for the property %2 is of a different format than the property can accept.",
    severity: 'Warning',
    resolution: 'Correct the value and send the request again.',
    paramTypes: two,
  },
  PropertyValueNotInList: {
    message: "The value '%1' for the property %2 is not in the list of acceptable values.",
    severity: 'Warning',
    resolution: 'Choose one of the acceptable values.',
    paramTypes: two,
  },
  PropertyValueOutOfRange: {
    message: "The value '%1' for the property %2 is not in the supported range of acceptable values.",
    severity: 'Warning',
    resolution: 'Correct the value and send the request again.',
    paramTypes: two,
  },
  CreateLimitReachedForResource: {
    message: 'No more resources of this kind can be created: the limit is reached.',
    severity: 'Critical',
    resolution: 'Delete a resource of this kind first.',
  },
  SessionLimitExceeded: {
    message: 'The session establishment failed due to the number of simultaneous sessions exceeding the limit.',
    severity: 'Critical',
    resolution: 'Close other sessions first.',
  },
  ResourceAtUriUnauthorized: {
    message: 'The service at %1 did not accept the credentials: %2',
    severity: 'Critical',
    resolution: 'Provide valid credentials.',
    paramTypes: two,
  },
  NoValidSession: {
    message: 'There is no valid session established with the service.',
    severity: 'Critical',
    resolution: 'Log in before sending further requests.',
  },
  InsufficientPrivilege: {
    message: 'The account or session is not allowed to do what was asked.',
    severity: 'Critical',
    resolution: 'Use an account with the privileges that are needed.',
  },
  AccountModified: { message: 'The account was successfully modified.', severity: 'OK', resolution: none },
  AccountNotModified: {
    message: 'The account modification request failed.',
    severity: 'Warning',
    resolution: 'Check what the account allows to be changed.',
  },
  ResourceInUse: {
    message: 'The change to the requested resource failed because the resource is in use or in transition.',
    severity: 'Warning',
    resolution: 'Send the request again later.',
  },
  ResourceCannotBeDeleted: {
    message: 'The resource cannot be deleted.',
    severity: 'Critical',
    resolution: 'Do not attempt to delete this resource.',
  },
  ServiceTemporarilyUnavailable: {
    message: 'The service is temporarily unavailable. Retry in %1 seconds.',
    severity: 'Critical',
    resolution: 'Wait for the given time and send the request again.',
    paramTypes: one,
  },
  PreconditionFailed: {
    message: 'The ETag supplied did not match the current ETag of the resource.',
    severity: 'Critical',
    resolution: 'Read the resource again and use its current ETag.',
  },
  PreconditionRequired: {
    message: 'A precondition header or annotation is required to change this resource.',
    severity: 'Critical',
    resolution: 'Send the request again with an If-Match header.',
  },
  ActionParameterValueConflict: {
    message: 'The parameter with the requested value does not go together with the state that the resource is in.',
    severity: 'Warning',
    resolution: 'Send the request again once the resource is at rest.',
  },
  OperationFailed: {
    message: 'The operation cannot be done in the state that the resource is in.',
    severity: 'Warning',
    resolution: 'Bring the resource into a state that allows the operation.',
  },
  InternalError: {
    message: 'The request failed due to an internal service error. The service is still operational.',
    severity: 'Critical',
    resolution: 'Send the request again. If it fails again, consider resetting the service.',
  },
} as const satisfies Record<string, MessageTemplate>;

/** Key of a message in the Base registry. */
export type BaseMessageKey = keyof typeof baseMessages;

/** The text of a message with its arguments put in. */
export function fillTemplate(template: string, args: readonly string[]): string {
  return template.replace(/%(\d)/g, (hole, digit: string) => args[Number(digit) - 1] ?? hole);
}

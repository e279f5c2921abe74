export type {
  Access,
  AccessNeed,
  AccessVerb,
  AccessVerdict,
  AuthenticatedUser,
  Authentication,
  Authorizer,
} from './access/authorizer.ts';
export { createFixedAuthorizer } from './access/fixed-authorizer.ts';
export { createJwtAuthorizer, type JwtAuthorizerOptions, type TokenIssuer } from './access/jwt-authorizer.ts';
export { createKubeAuthorizer, type KubeAuthorizerOptions } from './access/kube-authorizer.ts';
export { accessGroup, type ProtectedResource, restResources } from './access/resources.ts';
export { scopesFor } from './access/scopes.ts';
export { type Answer, answerCreated, answerMessage, answerRecord } from './answer.ts';
export { type AnswerableError, maxBodyBytes } from './error-answer.ts';
export { isRestError, RestError, type RestErrorCode, restErrors } from './errors.ts';
export { describeRoutes, type OpenapiInfo } from './openapi.ts';
export { answerPage, type Page, type PageRequest, readPage } from './paging.ts';
export { createRest, type Rest, type RestOptions } from './rest.ts';
export { type Call, defineRoute, type Route, type RouteDeclaration, type RouteMethod } from './route.ts';
export type { RestTimeouts } from './server.ts';
export {
  AnyObject,
  ErrorAnswer,
  ListOf,
  MessageAnswer,
  pageAnswer,
  pageQuery,
  recordAnswer,
  Struct,
  Text,
  Time,
  Uuid,
} from './shapes.ts';
export { Validators } from './validate.ts';

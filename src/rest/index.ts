export type {
  Access,
  AccessNeed,
  AccessVerb,
  AccessVerdict,
  AuthenticatedUser,
  Authentication,
  Authorizer,
} from './access/authorizer.ts';
export { enforceAccess } from './access/enforce.ts';
export { createFixedAuthorizer } from './access/fixed-authorizer.ts';
export { createJwtAuthorizer, type JwtAuthorizerOptions, type TokenIssuer } from './access/jwt-authorizer.ts';
export { createKubeAuthorizer, type KubeAuthorizerOptions } from './access/kube-authorizer.ts';
export { noteUser } from './access/note-user.ts';
export { accessGroup, type ProtectedResource, restResources } from './access/resources.ts';
export { scopesFor } from './access/scopes.ts';
export { type Answer, answerCreated, answerMessage, answerRecord } from './answer.ts';
export { type AnswerableError, maxBodyBytes } from './error-answer.ts';
export { isRestError, RestError, type RestErrorCode, restErrors } from './errors.ts';
export { type ProtocolChoice, tellApart } from './http2-too.ts';
export { pacedBodyBytes } from './json-body.ts';
export { http2Settings, limitHttp2 } from './limit-http2.ts';
export { isLoopback } from './loopback.ts';
export { describeRoutes, type OpenapiInfo } from './openapi.ts';
export { answerPage, type Page, type PageRequest, readPage } from './paging.ts';
export { type CallHandler, createRest, type Rest, type RestOptions } from './rest.ts';
export {
  type Asker,
  type Call,
  defineRoute,
  type RefusedBody,
  type Route,
  type RouteDeclaration,
  type RouteMethod,
} from './route.ts';
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

import type { JsonObject } from '../../../schema/index.ts';
import { kubeTime } from '../../core.ts';
import type { UserInfo } from '../../resource.ts';
import { badRequest } from '../../status.ts';
import type { VirtualResource } from '../../virtual-resource.ts';
import type { CredentialAuthenticator } from '../authenticator.ts';
import { reviewDecoder, textOf, textsOf } from './review-object.ts';

const group = 'authentication.k8s.io';
const apiVersion = `${group}/v1`;

/** TokenReview and SelfSubjectReview. */
export function identityReviews(authenticator: CredentialAuthenticator): VirtualResource[] {
  return [tokenReview(authenticator), selfSubjectReview()];
}

function tokenReview(authenticator: CredentialAuthenticator): VirtualResource {
  const decode = reviewDecoder(apiVersion, 'TokenReview');
  return {
    group,
    version: 'v1',
    resource: 'tokenreviews',
    singular: 'tokenreview',
    kind: 'TokenReview',
    namespaced: false,
    verbs: ['create'],
    create(context, body) {
      const { metadata, spec } = decode(context, body);
      const token = textOf(spec.token);
      if (token === '') throw badRequest('token is required for TokenReview in authentication');
      const verdict = authenticator.review(token, textsOf(spec.audiences));
      const status: JsonObject =
        'user' in verdict
          ? { authenticated: true, user: userInfo(verdict.user), audiences: [...verdict.audiences] }
          : { user: {}, error: verdict.fault };
      return { kind: 'TokenReview', apiVersion, metadata, spec, status };
    },
  };
}

function selfSubjectReview(): VirtualResource {
  const decode = reviewDecoder(apiVersion, 'SelfSubjectReview');
  return {
    group,
    version: 'v1',
    resource: 'selfsubjectreviews',
    singular: 'selfsubjectreview',
    kind: 'SelfSubjectReview',
    namespaced: false,
    verbs: ['create'],
    create(context, body) {
      decode(context, body);
      const metadata = { creationTimestamp: kubeTime(context.now) };
      return { kind: 'SelfSubjectReview', apiVersion, metadata, status: { userInfo: userInfo(context.user) } };
    },
  };
}

/** A user as the API shows one. */
export function userInfo({ username, uid, groups, extra }: UserInfo): JsonObject {
  const shown: JsonObject = { username };
  if (uid !== undefined && uid !== '') shown.uid = uid;
  if (groups.length > 0) shown.groups = [...groups];
  const entries = Object.entries(extra ?? {});
  if (entries.length > 0) shown.extra = Object.fromEntries(entries.map(([key, values]) => [key, [...values]]));
  return shown;
}

import type { Static, TObject, TSchema } from 'typebox';
import type { JsonObject } from '../../engine/index.ts';
import {
  answerCreated,
  answerMessage,
  answerPage,
  answerRecord,
  type Call,
  defineRoute,
  MessageAnswer,
  type Page,
  type PageRequest,
  type ProtectedResource,
  pageAnswer,
  type Route,
  readPage,
  recordAnswer,
} from '../../rest/index.ts';

type Nothing = TObject<Record<never, never>>;

/** What the routes of one kind of record share. */
export interface RecordKind<R> {
  /** Of the list; one record is found below it. */
  readonly path: string;
  readonly tag: string;
  readonly resource: ProtectedResource;
  readonly shape: TSchema;
  show(record: R): JsonObject;
  /** What a record is called by in a message. */
  slug(record: R): string;
}

/** What is different about one route. */
interface RouteWords<P extends TObject> {
  readonly operation: string;
  readonly summary: string;
  /** Another one than that of the kind. */
  readonly path?: string;
  readonly params?: P;
  readonly refusals?: Readonly<Record<number, string>>;
}

type CallOf<P extends TObject, Q extends TObject, B extends TSchema> = Call<Static<P>, Static<Q>, Static<B>>;

type ListWords<R, P extends TObject, Q extends TObject> = RouteWords<P> & {
  readonly query: Q;
  list(call: CallOf<P, Q, TSchema>, request: PageRequest): Promise<Page<R>>;
};

type CreateWords<R, P extends TObject, B extends TSchema> = RouteWords<P> & {
  readonly body: B;
  create(call: CallOf<P, Nothing, B>): Promise<R>;
  /** Where it is found; below the list under its slug unless given. */
  location?(record: R, call: CallOf<P, Nothing, B>): string;
};

type GetWords<R, P extends TObject, Q extends TObject> = RouteWords<P> & {
  readonly query?: Q;
  get(call: CallOf<P, Q, TSchema>): Promise<R>;
};

type PutWords<R, P extends TObject, B extends TSchema> = RouteWords<P> & {
  readonly method?: 'PUT' | 'POST';
  readonly body: B;
  put(call: CallOf<P, Nothing, B>): Promise<R>;
};

type RemoveWords<P extends TObject> = RouteWords<P> & {
  /** Says what was deleted. */
  remove(call: CallOf<P, Nothing, TSchema>): Promise<string>;
};

/** The routes of records in the form that all of them have: lists in pages, one record, created, updated, deleted. */
export function recordRoutes<R>(kind: RecordKind<R>) {
  const { tag, resource, show } = kind;
  const one = { 200: recordAnswer(kind.shape) };
  const declared = <P extends TObject>({ path = kind.path, params, operation, summary, refusals }: RouteWords<P>) => ({
    ...{ path, tag, operation, summary },
    ...(params === undefined ? {} : { params }),
    ...(refusals === undefined ? {} : { refusals }),
  });
  return {
    list: <P extends TObject = Nothing, Q extends TObject = Nothing>(words: ListWords<R, P, Q>): Route =>
      defineRoute<P, Q>({
        ...declared(words),
        method: 'GET',
        access: { verb: 'list', resource },
        query: words.query,
        answers: { 200: pageAnswer(kind.shape) },
        async handle(call) {
          const request = readPage(call.query as Parameters<typeof readPage>[0]);
          return answerPage(await words.list(call, request), { request, url: call.url, show });
        },
      }),
    get: <P extends TObject = Nothing, Q extends TObject = Nothing>(words: GetWords<R, P, Q>): Route =>
      defineRoute<P, Q>({
        ...declared(words),
        method: 'GET',
        access: { verb: 'get', resource },
        ...(words.query === undefined ? {} : { query: words.query }),
        answers: one,
        handle: async (call) => answerRecord(show(await words.get(call))),
      }),
    create: <P extends TObject = Nothing, B extends TSchema = TSchema>(words: CreateWords<R, P, B>): Route =>
      defineRoute<P, Nothing, B>({
        ...declared(words),
        method: 'POST',
        access: { verb: 'create', resource },
        body: words.body,
        answers: { 201: recordAnswer(kind.shape) },
        async handle(call) {
          const record = await words.create(call);
          const slug = kind.slug(record);
          const location = words.location?.(record, call) ?? `${kind.path}/${slug}`;
          return answerCreated({ location, slug, record: show(record) });
        },
      }),
    put: <P extends TObject = Nothing, B extends TSchema = TSchema>(words: PutWords<R, P, B>): Route =>
      defineRoute<P, Nothing, B>({
        ...declared(words),
        method: words.method ?? 'PUT',
        access: { verb: 'update', resource },
        body: words.body,
        answers: one,
        handle: async (call) => answerRecord(show(await words.put(call)), 'resource updated'),
      }),
    remove: <P extends TObject = Nothing>(words: RemoveWords<P>): Route =>
      defineRoute<P>({
        ...declared(words),
        method: 'DELETE',
        access: { verb: 'delete', resource },
        answers: { 200: MessageAnswer },
        handle: async (call) => answerMessage('resource deleted', { slug: await words.remove(call) }),
      }),
  };
}

import type { Machine } from '../machine/machine.ts';

/** Any JSON value. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [member: string]: JsonValue | undefined };

/** A JSON object; members that are undefined are left out when it is sent. */
export type JsonObject = { [member: string]: JsonValue | undefined };

/** A file that came with a request, already read to its end; only its head and its digest are kept. */
export interface UploadedFile {
  readonly filename?: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  /** The first 4 KiB, where an image's header is. */
  readonly head: Uint8Array;
}

/** A request that passed authentication, as a route sees it. */
export interface RedfishRequest {
  readonly machine: Machine;
  readonly method: string;
  /** Without query and without a trailing slash. */
  readonly path: string;
  /** The pattern's `:name` parts. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The JSON body of a PATCH or POST; the `UpdateParameters` part of a multipart upload. */
  readonly body: JsonObject;
  readonly upload?: UploadedFile;
  /** Id of the session the request came with; absent with Basic or without authentication. */
  readonly sessionId?: string;
}

/** What goes back. A body without `@odata.id` is sent as it is. */
export interface RedfishAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: JsonObject;
  /** Sent instead of a body, under the Content-Type among the headers: `$metadata` is XML. */
  readonly text?: string;
}

/** What answers one method of one resource. */
export type Handler = (request: RedfishRequest) => RedfishAnswer | Promise<RedfishAnswer>;

/** A resource: `/redfish/v1/Systems/:system/Bios`. A GET's answer gets its ETag, `$expand` and paging from the front. */
export interface Route {
  readonly pattern: string;
  readonly get?: Handler;
  readonly patch?: Handler;
  readonly post?: Handler;
  readonly delete?: Handler;
  /** Served without authentication (service root, `/redfish`, `/redfish/v1/odata`, log-in). */
  readonly isPublic?: boolean;
  /** Only its POST is served without authentication (log-in). */
  readonly arePostsPublic?: boolean;
  /** POST takes a file: raw bytes or multipart. */
  readonly takesUpload?: boolean;
}

import type { GateRequest, StreamBody } from '../../gate/gate.ts';
import type { JsonObject } from '../../json.ts';

/** What a test wants to know of an upload. */
export interface SentUpload {
  readonly contentType: string;
  readonly bytes: Buffer;
  /** The UpdateParameters part of a multipart body. */
  readonly parameters: JsonObject;
}

/** Reads a streamed body to its end, as a BMC does. */
export async function readUpload(request: GateRequest): Promise<SentUpload> {
  const body = request.body as StreamBody;
  const pieces: Buffer[] = [];
  for await (const piece of body.open()) pieces.push(piece as Buffer);
  const bytes = Buffer.concat(pieces);
  if (bytes.length !== body.lengthBytes) throw new Error(`${bytes.length} bytes came, ${body.lengthBytes} were said`);
  const json = /application\/json\r\n\r\n(\{.*?\})\r\n--/s.exec(bytes.toString('latin1'))?.[1];
  return { contentType: body.contentType, bytes, parameters: json === undefined ? {} : JSON.parse(json) };
}

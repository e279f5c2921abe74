export { type DecodedProtobuf, decodeProtobuf, protobufMediaType, type TypeName } from './decode.ts';

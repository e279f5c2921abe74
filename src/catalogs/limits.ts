/** What is taken of a catalogue at most. Whatever it holds, memory stays below what these add up to. */
export interface CatalogLimits {
  /** Of the file as it comes, packed or not. */
  readonly maxBytes: number;
  /** Unpacked: a small file can unpack to any size. */
  readonly maxUnpackedBytes: number;
  /** Entries that are looked at, for whatever model they are. */
  readonly maxEntries: number;
  /** Entries that are kept for the one model that is asked for. */
  readonly maxMatches: number;
  /** Elements in elements, objects in objects. */
  readonly maxDepth: number;
  /** Of one tag, text or value: the largest piece that is held in memory. */
  readonly maxPieceBytes: number;
  /** Models, devices and ids that one entry may name. */
  readonly maxNames: number;
  /** Files of a catalogue that is a folder. */
  readonly maxFiles: number;
  /** YAML cannot be read piece by piece, so it may not be as large as JSON. */
  readonly maxYamlBytes: number;
}

const mib = 1024 * 1024;

/** Limits that the catalogues of today's vendors are far below. */
export const defaultCatalogLimits: CatalogLimits = {
  maxBytes: 128 * mib,
  maxUnpackedBytes: 192 * mib,
  maxEntries: 500_000,
  maxMatches: 20_000,
  maxDepth: 40,
  maxPieceBytes: mib,
  maxNames: 5000,
  maxFiles: 5000,
  maxYamlBytes: 16 * mib,
};

import type { FirmwareList, FirmwareSlot, VendorName } from '../../bmc/index.ts';
import type { JsonObject } from '../../engine/index.ts';

/** A change of firmware of one machine. */
export interface DeskOrder {
  /** The id of the machine. */
  readonly machine: string;
  /** Its system at its BMC, should the machine be known by that only. */
  readonly address: string;
  /** BIOS settings, in the types of its BIOS. */
  readonly settings: Readonly<Record<string, string | number | boolean>>;
  /** Images, as parameters of a `firmwareInstall`. */
  readonly firmwares: readonly JsonObject[];
  /** Who asks, for the history. */
  readonly client: string;
  /** True for the live update of a host in use: it alone passes the lock by which that host keeps others off. */
  readonly isLiveUpdate: boolean;
  /** How long the system of the host may take to shut down at each restart; its power is cut at once unless given. */
  readonly gracePeriodMs?: number | undefined;
}

/** What came of an order. */
export type DeskAnswer =
  | { readonly kind: 'taken'; readonly conditions: readonly string[] }
  /** Something else is asked for on the machine already; ask again later. */
  | { readonly kind: 'busy'; readonly message: string }
  | { readonly kind: 'refused'; readonly message: string };

/** What of an order was made. */
export interface DeskMade {
  readonly areSettingsMade: boolean;
  /** Ids of the images that are installed. */
  readonly images: readonly string[];
}

/** How far an order is. */
export type DeskLook =
  /** `message` says how far it is. */
  | { readonly kind: 'going'; readonly message?: string | undefined }
  | { readonly kind: 'done' }
  /** `made`: what was made of it all the same. */
  | { readonly kind: 'failed'; readonly message: string; readonly made: DeskMade };

/** Where changes of firmware are ordered: the engine, so that there is one lock and one history for a machine. */
export interface FirmwareDesk {
  /** What was asked for before in the same words, and has not ended, is found again. */
  order(order: DeskOrder): Promise<DeskAnswer>;
  /** Why nothing can be ordered for a machine; undefined where it can. */
  whyUnknown(machine: Pick<DeskOrder, 'machine' | 'address'>): Promise<string | undefined>;
  look(conditions: readonly string[]): Promise<DeskLook>;
  /** What waits ends at once, what goes on at a safe point; ending what has ended is fine. */
  cancel(conditions: readonly string[], client: string): Promise<void>;
}

/** An image that a host wants, and for what. */
export interface WantedImage {
  readonly component: string;
  readonly url: string;
  readonly manufacturer: string;
  readonly model: string;
}

/** A server as images are chosen for it. */
export interface ImageServer {
  readonly vendor: VendorName;
  readonly manufacturer: string | undefined;
  readonly model: string | undefined;
  readonly slots: readonly FirmwareSlot[];
  readonly gaps: FirmwareList['gaps'];
}

/** Knows images with their versions and checksums. */
export interface ImageCatalogue {
  /** The image as a `firmwareInstall` takes it; undefined where it is not in the catalogue. */
  find(wanted: WantedImage): Promise<JsonObject | undefined>;
  /** Why images cannot be installed on a server; empty where they can, or are installed already. */
  whyNot?(images: readonly JsonObject[], server: ImageServer): readonly string[];
}

/** What is behind a link. */
export type LinkedImage = { readonly checksum: string; readonly sizeBytes: number };

/** What is known of a link; `reading` where that takes a while. */
export type LinkAnswer =
  | { readonly kind: 'image'; readonly image: LinkedImage }
  | { readonly kind: 'reading' }
  | { readonly kind: 'refused'; readonly message: string };

/** Reads images that are in no catalogue: what they are when they are asked for is what is installed. */
export interface ImageLinks {
  read(url: string): Promise<LinkAnswer>;
}

/** Builds the pages of the console unless they are those of today's sources, and returns their folder. */
export declare function buildConsole(root: string, node?: string): string;

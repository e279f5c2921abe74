/** Whether a MAC was made up by somebody, and is not one that the maker of a NIC gave to it alone. */
export function isLocalMac(mac: string): boolean {
  return (Number.parseInt(mac.slice(0, 2), 16) & 2) === 2;
}

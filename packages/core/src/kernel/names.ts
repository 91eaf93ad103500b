/** Names that people give. */

/** Whether two names are one, whatever their case and however their letters are composed. */
export function isSameName(one: string, other: string): boolean {
  return one.normalize('NFC').toLowerCase() === other.normalize('NFC').toLowerCase();
}

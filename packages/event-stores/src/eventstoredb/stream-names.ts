/** Which streams of a cluster belong to a log: those that begin with its prefix. */
import type { StreamName } from '@counterfoil/core';

export const LOG_PREFIX_FORM =
  'at most 64 letters, digits, _ and dots: names that are separated by dots, and a dot at the end, as in acme.ledger.';
const MAX_PREFIX_LENGTH = 64;
const PREFIX = /^[A-Za-z][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*\.$/;

export function isLogPrefix(prefix: string): boolean {
  return prefix.length <= MAX_PREFIX_LENGTH && PREFIX.test(prefix);
}

export class StreamNames {
  readonly prefix: string;

  constructor(prefix: string) {
    if (!isLogPrefix(prefix)) throw new TypeError(`the prefix of a log is ${LOG_PREFIX_FORM}`);
    this.prefix = prefix;
  }

  /** The stream whose only event is before all events of the log. Its name does not begin with the prefix. */
  get beginning(): string {
    return `beginning-of-${this.prefix.slice(0, -1)}`;
  }

  onServer(stream: StreamName): string {
    return this.prefix + stream;
  }

  /**
   * The stream of this log with this name on the server; undefined for streams of others. A dot within
   * the category belongs to a log whose prefix begins with this one's.
   */
  inLog(name: string): StreamName | undefined {
    if (!name.startsWith(this.prefix)) return undefined;
    const stream = name.slice(this.prefix.length);
    const dash = stream.indexOf('-');
    const dot = stream.indexOf('.');
    if (dot >= 0 && (dash < 0 || dot < dash)) return undefined;
    return stream as StreamName;
  }
}
